const CODE = 'ERR_STREAM_PREMATURE_CLOSE';

/** A simulated process that ends leaves its streams half read: that is no fault of this process. */
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
