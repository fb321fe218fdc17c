/** The value of a promise, or the error of `late` when it takes longer than `ms` milliseconds. */
export async function within<T>(work: Promise<T>, { ms, late }: { ms: number; late: () => Error }): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
