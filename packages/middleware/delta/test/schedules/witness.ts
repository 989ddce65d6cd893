import {
  type Bytes,
  isConditionFailed,
  isEntry,
  isStoreError,
  type Mutation,
  type ReadResult,
  type WriteResult,
} from '@unikv/core'
import { type HistoryOperation, judge } from '@unikv/test-kit'

/** Notes what callers saw, and what of it cannot be. */
export class Witness {
  readonly violations: string[] = []
  readonly #history: HistoryOperation[] = []
  readonly #mayFail: () => boolean
  #moment = 0

  /** @param mayFail Whether any request has failed until now. */
  constructor(mayFail: () => boolean) {
    this.#mayFail = mayFail
  }

  /** How many reads and writes of one key were noted. */
  get operations(): number {
    return this.#history.length
  }

  /** The moment of a call. */
  called(): number {
    return this.#moment++
  }

  /** What a caller read, or an error. */
  read(key: string, result: ReadResult<Bytes>, calledAt: number): void {
    if (isStoreError(result)) return this.failed(result)
    this.#check(key, result)
    this.#history.push({ type: 'read', key, calledAt, returnedAt: this.#moment++, found: result?.version })
  }

  /** Somebody writes. Who is killed never answers; whoever is not tells `written` and takes the answer back. */
  writing(mutations: readonly Mutation<Bytes>[], calledAt: number): () => void {
    const unanswered = mutations.map((mutation) => unknownWrite(mutation, calledAt))
    this.#history.push(...unanswered)
    return () => {
      for (const one of unanswered) this.#history.splice(this.#history.indexOf(one), 1)
    }
  }

  /** How a write ended. */
  written(mutation: Mutation<Bytes>, result: WriteResult, calledAt: number): void {
    const unknown = unknownWrite(mutation, calledAt)
    if (isStoreError(result)) {
      this.failed(result)
      if (result.code === 'OUTCOME_UNKNOWN') this.#history.push(unknown)
    } else if (isConditionFailed(result)) {
      if (mutation.ifVersion === undefined) this.violations.push('a write without a condition was refused')
      this.#history.push({ ...unknown, returnedAt: this.#moment++, result: 'refused', found: result.version })
    } else this.#history.push({ ...unknown, returnedAt: this.#moment++, result: 'applied' })
  }

  /** A call, or an item of it, failed. */
  failed(error: unknown): void {
    if (isStoreError(error) && error.message.startsWith('Aborted')) return
    if (isStoreError(error) && ['UNAVAILABLE', 'OUTCOME_UNKNOWN'].includes(error.code)) {
      if (!this.#mayFail()) this.violations.push(`failed although nothing did: ${error.message}`)
    } else this.violations.push(`failed with ${String(error)}`)
  }

  /** Whether any order explains what was seen. */
  judge(): void {
    const judgement = judge(this.#history)
    if (judgement.linearizable) return
    this.violations.push(`${judgement.key}: no order explains ${JSON.stringify(judgement.stuckAt)}`)
  }

  /** Every value tells its version. */
  #check(key: string, result: ReadResult<Bytes>): void {
    if (!isEntry(result)) return
    const { value, version } = result
    const text = Buffer.from(value).toString()
    if (!text.startsWith(`${version} `) || !text.endsWith(` ${version}`))
      this.violations.push(`${key}: the value of another version stands under ${version}`)
  }
}

function unknownWrite({ type, key, version, ifVersion }: Mutation<Bytes>, calledAt: number) {
  const token = type === 'delete' ? undefined : version
  return {
    type: 'write',
    key,
    calledAt,
    returnedAt: Number.POSITIVE_INFINITY,
    token,
    ifToken: ifVersion,
    result: 'unknown',
  } as const
}
