import { Cluster } from 'ioredis';

/**
 * A connection to a cluster whose `connect` ends in every case. That of ioredis does neither resolve nor reject if a node answers while the
 * cluster is still down, though it goes on trying and becomes ready. BullMQ waits for it, and its worker would take up no row any more.
 */
export class SettlingCluster extends Cluster {
  /** What `connect` waits for. Only declared: the constructor of ioredis calls `connect` before fields of this class are set. */
  declare private settled: Promise<void> | undefined;

  override connect(): Promise<void> {
    // ioredis calls this once a try. In a long outage a wait of each of them would leave its listeners.
    this.settled ??= this.untilSettled();
    return Promise.race([super.connect(), this.settled]);
  }

  private untilSettled(): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = () => {
        this.settled = undefined;
        this.off('ready', isReady);
        this.off('end', isOver);
      };
      const isReady = () => {
        forget();
        resolve();
      };
      const isOver = () => {
        forget();
        reject(new Error('Connection is closed.'));
      };
      this.once('ready', isReady);
      this.once('end', isOver);
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
