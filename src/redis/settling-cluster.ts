import { Cluster } from 'ioredis';

/**
 * A connection to a cluster whose `connect` ends in every case. That of ioredis does neither resolve nor reject if a node answers while the
 * cluster is still down, though it goes on trying and becomes ready. BullMQ waits for it, and its worker would take up no row any more.
 */
export class SettlingCluster extends Cluster {
  override connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = () => {
        this.off('ready', isReady);
        this.off('end', isOver);
      };
      const isReady = () => {
        forget();
        resolve();
      };
      const fails = (error: unknown) => {
        forget();
        reject(error);
      };
      const isOver = () => fails(new Error('Connection is closed.'));
      this.once('ready', isReady);
      this.once('end', isOver);
      super.connect().then(isReady, fails);
    });
  }

  /** BullMQ makes its blocking connection so. */
  override duplicate(
    nodes: Parameters<Cluster['duplicate']>[0] = [],
    options: Parameters<Cluster['duplicate']>[1] = {},
  ): Cluster {
    const { redisOptions, ...others } = { ...this.options, ...options };
    const merged = { ...this.options.redisOptions, ...redisOptions };
    return new SettlingCluster(nodes.length > 0 ? nodes : this.startupNodesOf(), {
      ...others,
      redisOptions: merged,
    } as never);
  }

  private startupNodesOf() {
    return (this as unknown as { startupNodes: ConstructorParameters<typeof Cluster>[0] }).startupNodes.slice();
  }
}
