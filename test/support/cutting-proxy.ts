import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy on this machine that forwards everything until it is told to break something. */
export async function startCuttingProxy(targetPort: number) {
  const links = new Set<Link>();
  let accepts = true;
  const server = createServer((client) => {
    if (!accepts) {
      client.resetAndDestroy();
      return;
    }
    const link: Link = { client, target: connect(targetPort, '127.0.0.1'), losesReplies: false };
    links.add(link);
    passOn(link, () => links.delete(link));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const link of links) end(link);
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** For every open connection, forwards the next request, and closes the connection when its reply arrives. */
    cutReplies(): void {
      for (const link of links) link.losesReplies = true;
    },
    /** Closes every connection, and resets new ones until it is called with false. */
    refuse(refuses: boolean): void {
      accepts = !refuses;
      if (refuses) for (const link of links) end(link);
    },
  };
}

type Link = { client: Socket; target: Socket; losesReplies: boolean };

function passOn(link: Link, forget: () => void): void {
  const { client, target } = link;
  client.on('data', (asked) => target.write(asked));
  target.on('data', (reply) => {
    // The other side has done what was asked, and its reply is lost.
    if (link.losesReplies) end(link);
    else client.write(reply);
  });
  for (const socket of [client, target]) {
    socket.on('error', () => {});
    socket.on('close', () => {
      end(link);
      forget();
    });
  }
}

function end({ client, target }: Link): void {
  client.resetAndDestroy();
  target.destroy();
}
