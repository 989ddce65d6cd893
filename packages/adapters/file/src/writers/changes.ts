import type { Awaitable, WriteResult } from '@unikv/core'
import { Turns } from '@unikv/core/adapter'
import type { Files } from '../disk/files.ts'
import type { Slots } from '../disk/slots.ts'
import { run, type Steps, step, together } from '../disk/steps.ts'
import { Temporary } from '../disk/temporary.ts'
import type { Change, Records } from '../records.ts'
import type { Writer } from './writer.ts'

/** Changes of records: one at a time of each key, and each in a slot while it is at work, not while it waits for others. */
export class Changes {
  readonly #files: Files
  readonly #records: Records
  readonly #slots: Slots
  readonly #turns = new Turns()
  #temporaries = 0

  constructor(files: Files, records: Records, slots: Slots) {
    this.#files = files
    this.#records = records
    this.#slots = slots
  }

  /** Do them side by side; `onError` says what the answer to one that failed is. */
  *do(
    changes: readonly Change[],
    writer: Writer,
    onError: (error: unknown) => WriteResult,
  ): Steps<readonly WriteResult[]> {
    return yield* together(
      changes.map((change) =>
        this.#turns.take([change.mutation.key], () => run(this.#told(change, writer, onError))),
      ),
    )
  }

  /** Resolves when nothing is under way, nor waits for its turn. */
  idle(): Promise<void> {
    return this.#turns.ended()
  }

  /** Do one, and note in its part of a batch what became of it. */
  *#told(change: Change, writer: Writer, onError: (error: unknown) => WriteResult): Steps<WriteResult> {
    const result = yield* this.#one(change, writer, onError)
    if (change.part !== undefined) change.part.results = [result]
    return result
  }

  *#one(change: Change, writer: Writer, onError: (error: unknown) => WriteResult): Steps<WriteResult> {
    const path = `${this.#records.folderOf(change.mutation.key)}/t-${writer.identity.text}-${this.#temporaries++}`
    const temporary = new Temporary(this.#files, writer.retries, path)
    try {
      for (let attempt = 0; ; attempt++) {
        const result = yield* step(this.#attempt(change, writer, temporary))
        if (result !== undefined) return result
        yield* this.#pause(attempt)
        if (writer.identity.isSilent) yield* writer.identity.sign()
      }
    } catch (error) {
      return onError(error)
    } finally {
      yield* temporary.remove()
    }
  }

  #attempt(change: Change, { claims }: Writer, temporary: Temporary): Awaitable<WriteResult | undefined> {
    return this.#slots.run(() => run(this.#records.change(change, claims, temporary)))
  }

  /** Let the holder of a claim go on: it holds it for the time of a few calls. */
  *#pause(attempt: number): Steps<void> {
    yield* step(this.#files.system.pause(Math.min(8, 2 ** Math.min(attempt, 4) / 2)))
  }
}
