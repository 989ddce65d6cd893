import { Call } from '../contract/call.ts'
import { timeoutError } from '../contract/call-errors.ts'
import { isWritten } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { CallOptions, CallPart, WriteResult } from '../contract/store.ts'

/** One part of a batch: whether this part was sent is its own; the batch was sent if any part was. */
export class PartCall extends Call implements CallPart {
  declare readonly size: number
  /** The outcome of each item, once it is known. */
  declare results: readonly unknown[] | undefined
  declare protected readonly base: CallOptions
  readonly #parts: readonly PartCall[]
  #sent = false

  /** `parts` is the list of all, which holds this one too. */
  constructor(whole: CallOptions, size: number, parts: readonly PartCall[]) {
    super(0, whole.signal, whole.consistency, whole)
    this.size = size
    this.#parts = parts
    if (whole.context !== undefined) this.context = whole.context
  }

  override get sent(): boolean {
    return this.#sent
  }

  override set sent(sent: boolean) {
    this.#sent = sent
    this.base.sent = this.#parts.some((part) => part.sent)
  }
}

/** The error of a batch of `size` items that ends early in several parts, with what is known of each item. */
export function endedInParts(error: StoreError, { parts }: CallOptions, size: number): StoreError {
  const results = toldOf(parts, size) ?? []
  const written = results.filter((one) => isWritten(one as WriteResult)).length
  const isUnsure = results.some((one) => isStoreError(one) && one.code === 'OUTCOME_UNKNOWN')
  if (!written && !isUnsure) return error
  const message = `The call ended early: ${written} of ${size} items are known to be written; see error.results.`
  return new StoreError(isUnsure ? 'OUTCOME_UNKNOWN' : 'PARTIAL', message, { results, cause: error })
}

/** The known outcome of each item; `undefined` if these parts do not cover all items. A part may have parts itself. */
function toldOf(parts: readonly CallPart[] | undefined, size: number): readonly unknown[] | undefined {
  if (parts?.reduce((sum, part) => sum + part.size, 0) !== size) return undefined
  return parts.flatMap(
    (part) =>
      part.results ??
      toldOf(part.parts, part.size) ??
      Array.from({ length: part.size }, () => timeoutError(part, true)),
  )
}
