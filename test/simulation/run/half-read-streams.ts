const CODE = 'ERR_STREAM_PREMATURE_CLOSE';

/** A simulated process that ends leaves streams half read. This process goes on then. */
export function forgiveHalfReadStreams(): void {
  process.on('unhandledRejection', (error: NodeJS.ErrnoException) => {
    if (error?.code !== CODE) throw error;
  });
  process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
    if (error?.code === CODE) return;
    console.error(error);
    process.exit(1);
  });
}
