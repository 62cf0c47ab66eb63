# One image for every command: `work` by default, `console` or `import` by another command line.
FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production LIMITLINE_DATA=/data
# No package that is used needs its install script.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY src ./src
COPY jobs ./jobs
COPY scripts ./scripts
# Which commit this is, for --version and the page Health: docker compose build --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT
RUN echo "$COMMIT" > commit.txt
# What Node compiled is kept below node_modules, by which the next start takes half the time.
RUN ln -s /app/scripts/limitline.cjs /usr/local/bin/limitline && mkdir -p /data node_modules/.cache/limitline \
  && chown node:node /data node_modules/.cache/limitline
USER node
VOLUME /data
# SIGTERM lets calls in flight finish; give the container 30 s for it.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=8", "--preserve-symlinks", "/app/scripts/limitline.cjs"]
CMD ["work"]
