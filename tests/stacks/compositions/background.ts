/** Takes the work of layers that goes on after an answer, as a platform does. */
export class Background {
  /** Works that go on. */
  pending = 0
  /** What was rejected, which nobody would hear. */
  readonly rejected: unknown[] = []

  readonly take = (work: Promise<unknown>): void => {
    this.pending++
    work
      .catch((error: unknown) => this.rejected.push(error))
      .finally(() => {
        this.pending--
      })
  }
}
