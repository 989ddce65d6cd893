/** The state of one key in the mirror, while a write or a repair of it is pending. */
export class KeyState {
  readonly key: string
  /** Writes of it on their way to the primary. */
  writing = 0
  /** Whether two of them were so at once: then it is unknown which came last. */
  met = false
  /** Whether it is being written or repaired in the secondary. */
  busy = false
  /** Whether the secondary may differ from the primary, and no repair that runs takes care of it. */
  owed = false
  /** When the next repair may begin, by the monotonic clock. */
  dueAt = 0
  /** Until when a write of unknown outcome may still take effect. */
  doubtUntil = 0
  /** Repairs that failed, one after the other. */
  failures = 0
  /** Marks in the durable journal: their keys there, and their versions. */
  readonly marks: Map<string, string> = new Map()
  /** A mark on its way into the journal. */
  marking: Promise<unknown> | undefined
  #waiting: (() => void)[] = []

  constructor(key: string) {
    this.key = key
  }

  /** Whether nothing is known that would not be known without it. */
  get isIdle(): boolean {
    return this.writing === 0 && !this.busy && !this.owed && this.marking === undefined
  }

  /** Resolves when the next mirrored write or repair of the key has ended, well or not. */
  tried(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Tell those who wait. */
  tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
