# One image for every command: `work` by default, `console` or `import` by another command line.
FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production LIMITLINE_DATA=/data
# The image brings Node 24 itself, so the npm package `node` and other install scripts are not needed.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY src ./src
COPY jobs ./jobs
COPY scripts ./scripts
RUN ln -s /app/scripts/limitline.ts /usr/local/bin/limitline && mkdir /data && chown node:node /data
USER node
VOLUME /data
# SIGTERM lets calls in flight finish; give the container 30 s for it.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/scripts/limitline.ts"]
CMD ["work"]
