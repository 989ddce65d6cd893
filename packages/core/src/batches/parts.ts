import { Call } from '../contract/call.ts'
import type { CallOptions, CallPart } from '../contract/store.ts'

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
  }

  override get sent(): boolean {
    return this.#sent
  }

  override set sent(sent: boolean) {
    this.#sent = sent
    this.base.sent = this.#parts.some((part) => part.sent)
  }
}
