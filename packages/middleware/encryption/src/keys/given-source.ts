import type { Bytes } from '@unikv/core'
import { checkBytes } from '../checks.ts'

/** Bytes that come one after the other, such as a file that is read. */
export type Source = AsyncIterable<Bytes> | Iterable<Bytes>

/** Methods that end a source early: of Node.js streams, streams of the web, generators. */
interface Closable {
  destroy?(): unknown
  cancel?(): unknown
  return?(): unknown
}

/** A source that was handed over: it is closed, also if it was never read. */
export class GivenSource {
  readonly #source: Source
  #hasBegun = false

  constructor(source: Source) {
    this.#source = source
  }

  /** The chunks, if they are bytes. Stopping early closes the source. */
  async *bytes(): AsyncGenerator<Bytes, void, undefined> {
    this.#hasBegun = true
    for await (const bytes of this.#source) {
      checkBytes(bytes)
      yield bytes
    }
  }

  /** An iterator that has not begun closes nothing, so the source itself is told. */
  close(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    // The caller gets the error of its call; an error of this is dropped.
    void closed(Object(this.#source) as Closable).catch(() => {})
  }
}

async function closed(source: Closable): Promise<void> {
  if ('destroy' in source) await source.destroy?.()
  else if ('cancel' in source) await source.cancel?.()
  else await source.return?.()
}
