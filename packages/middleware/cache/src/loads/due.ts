import type { Read } from '@unikv/core'

/** The keys that one call has answered, or is about to answer, and that need a load behind the answer. */
export class Due {
  readonly reads: Read[] = []

  has(key: string): boolean {
    return this.reads.some((read) => read.key === key)
  }

  add(key: string): void {
    this.reads.push({ key })
  }
}
