import type { Version } from '@unikv/core'

/** One write as its caller saw it. Times are any numbers that ascend. */
export interface Operation {
  readonly key: string
  readonly version: Version
  /** What the record holds after it; `undefined`: it is gone. */
  readonly value: string | undefined
  readonly startedAt: number
  /** When it was acknowledged; infinite if it never was. */
  endedAt: number
  /** It took the place of the record with this version (`null`: of none); `undefined`: of any. */
  readonly replaced?: Version | null | undefined
  /** It was refused and changed nothing. */
  refused?: boolean
}

/** A record that was found. */
export interface Found {
  readonly version: Version
  readonly value: string
}

/** The writes of all processes, and what must be true of them. */
export class History {
  readonly #operations = new Map<string, Operation[]>()

  add(operation: Operation): Operation {
    const all = this.#operations.get(operation.key)
    if (all === undefined) this.#operations.set(operation.key, [operation])
    else all.push(operation)
    return operation
  }

  keys(): string[] {
    return [...this.#operations.keys()]
  }

  /** What is wrong with this record being there in the end; `undefined`: nothing. */
  lossOf(key: string, found: Found | undefined): string | undefined {
    const all = this.#writesOf(key)
    const possible =
      found === undefined
        ? [...all.filter(({ value }) => value === undefined), beforeAll(key)]
        : all.filter(({ version }) => version === found.version)
    if (possible.length === 0) return 'a record that nobody wrote'
    if (found !== undefined && possible[0]?.value !== found.value) return 'a torn record'
    const isLost = (last: Operation) => all.some((one) => done(one) && one.startedAt > last.endedAt)
    return possible.every(isLost) ? 'an acknowledged write is lost' : undefined
  }

  /** What is wrong with the conditional writes that succeeded; `undefined`: nothing. */
  wrongCondition(): string | undefined {
    for (const key of this.keys()) {
      const all = this.#writesOf(key)
      for (const winner of all) {
        const wrong = this.#wrongWinner(winner, all)
        if (wrong !== undefined) return `${key}: ${wrong}`
      }
    }
    return undefined
  }

  /** Only what was acknowledged is known to have taken effect. */
  #wrongWinner(winner: Operation, all: readonly Operation[]): string | undefined {
    const { replaced } = winner
    if (!done(winner) || replaced === undefined) return undefined
    const before = replaced === null ? undefined : all.find(({ version }) => version === replaced)
    if (replaced !== null && before === undefined) return 'a write replaced what nobody wrote'
    if (replaced === null) return undefined
    const rivals = all.filter((one) => one !== winner && done(one) && one.replaced === replaced)
    if (rivals.length > 0) return 'two writes replaced the same version'
    const between = all.find(
      (one) => done(one) && one.startedAt > (before as Operation).endedAt && one.endedAt < winner.startedAt,
    )
    return between === undefined ? undefined : 'a write replaced a version that was not there any more'
  }

  #writesOf(key: string): readonly Operation[] {
    return (this.#operations.get(key) ?? []).filter(({ refused }) => refused !== true)
  }
}

function done({ endedAt, refused }: Operation): boolean {
  return endedAt !== Number.POSITIVE_INFINITY && refused !== true
}

/** The record was never there. */
function beforeAll(key: string): Operation {
  const always = Number.NEGATIVE_INFINITY
  return { key, version: '', value: undefined, startedAt: always, endedAt: always }
}
