import {
  type Bytes,
  type Entry,
  isStoreError,
  type KeyValue,
  StoreError,
  type Supporting,
  supports,
  type Version,
} from '@unikv/core'
import { checkKeyValue, codecOf } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { type Action, actionIn, encoded, endStates, type Nothing, nothingIn, type State } from './action.ts'
import { Pauses } from './pauses.ts'

/** Where a tuner keeps its log: any KeyValue of bytes whose store lists keys and knows conditions. */
export type LogKeeper = KeyValue<string, Bytes>

/** An action, and the version of its record. */
export interface Kept {
  readonly action: Action
  readonly version: Version
}

type Kv = KeyValue<string, Bytes, Supporting<'scan' | 'conditionalWrite'>>

/**
 * The log of tuners: what they proposed, did and found, readable and answerable by other processes. Each change of a record is
 * written by condition, so that one process alone goes on with an action.
 */
export class TunerLog {
  readonly #kv: Kv
  readonly #pauses: Pauses
  /** Actions as they were read the last time: most do not change. */
  #read = new Map<string, Kept>()

  /** @throws {StoreError} `UNSUPPORTED` for a store that cannot list keys, or knows no conditions; `INVALID_CONFIG` for one of objects */
  constructor(keeper: LogKeeper) {
    checkKeyValue('keepIn', keeper)
    for (const feature of ['scan', 'conditionalWrite'] as const)
      if (!supports(keeper, feature))
        throw new StoreError(
          'UNSUPPORTED',
          `${keeper.name} does not declare ${feature}, which the log of a tuner needs. Keep it in another store.`,
          { store: keeper.name },
        )
    checkBytes(keeper)
    this.#kv = keeper.namespace('unikv.tuner') as Kv
    this.#pauses = new Pauses(this.#kv)
  }

  /** The times in which stores are left alone. */
  get pauses(): Pauses {
    return this.#pauses
  }

  /** Lease and other small records, for the tuner alone. */
  get records(): Kv {
    return this.#kv
  }

  /** All actions, the earliest first. Those that cannot be read are told and left out. */
  async actions(onUnreadable?: (error: StoreError, key: string) => void): Promise<readonly Kept[]> {
    const kept: Kept[] = []
    const known = this.#read
    this.#read = new Map()
    for await (const [key, { value, version }] of this.#listed('action/', onUnreadable)) {
      try {
        const before = known.get(key)
        const one =
          before !== undefined && before.version === version
            ? before
            : { action: actionIn(key, value), version: version as Version }
        this.#read.set(key, one)
        kept.push(one)
      } catch (error) {
        if (onUnreadable === undefined) throw error
        onUnreadable(error as StoreError, key)
      }
    }
    return kept.toSorted((a, b) => a.action.at - b.action.at)
  }

  /** Whether an action was changed since it was read, such as by its owner's answer. */
  async isChanged({ action, version }: Kept): Promise<boolean> {
    return (await this.#kv.head(keyOf(action)))?.version !== version
  }

  /** Decisions to do nothing, the earliest first. Those that cannot be read are told and left out. */
  async nothings(onUnreadable?: (error: StoreError, key: string) => void): Promise<readonly Nothing[]> {
    const found: Nothing[] = []
    for await (const [key, { value }] of this.#listed('nothing/', onUnreadable)) {
      try {
        found.push(nothingIn(key, value))
      } catch (error) {
        if (onUnreadable === undefined) throw error
        onUnreadable(error as StoreError, key)
      }
    }
    return found.toSorted((a, b) => a.at - b.at)
  }

  /** Keep a new action. */
  async propose(action: Action): Promise<Kept> {
    const { version } = await this.#kv.set(keyOf(action), encoded(action), { ifVersion: null })
    return { action, version: version as Version }
  }

  /** Keep that nothing was done. The last one of each hour and store stays for a month. */
  async decidedNothing(decision: Nothing): Promise<void> {
    // Without the month, so that the next one takes its place.
    const hour = new Date(decision.at).toISOString().slice(8, 13)
    await this.#kv.set(`nothing/${hour}/${decision.trouble.store}`, encoded(decision))
  }

  /**
   * Change an action as it was read.
   *
   * @returns `undefined` if another process changed it in the meantime
   */
  async change({ action, version }: Kept, changed: Partial<Action>, step?: Step): Promise<Kept | undefined> {
    const steps = step === undefined ? action.steps : [...action.steps, step]
    const next: Action = { ...action, ...changed, state: step?.state ?? action.state, steps }
    try {
      const written = await this.#kv.set(keyOf(action), encoded(next), { ifVersion: version })
      return { action: next, version: written.version as Version }
    } catch (error) {
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return undefined
      throw error
    }
  }

  /**
   * The answer of an owner to a proposal.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` for a name that no action has, or one that is over
   */
  async answer(id: string, answer: 'approved' | 'rejected' | 'undoing', by: string): Promise<Action> {
    for (let attempt = 0; attempt < 16; attempt++) {
      const kept = await this.named(id)
      refuse(kept.action, answer)
      if (answer === 'undoing') refuseReplaced(kept.action, await this.actions(() => {}))
      const state: State = answer === 'undoing' && kept.action.state === 'approved' ? 'rejected' : answer
      const changed = await this.change(kept, {}, { at: wallClock(), state, by })
      if (changed !== undefined) return changed.action
    }
    throw new StoreError('UNAVAILABLE', `Others change the action ${id} all the time. Try again.`)
  }

  /**
   * The action of this name, or of a name that begins so.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if there is none, or there are several
   */
  async named(id: string): Promise<Kept> {
    const found = (await this.actions(() => {})).filter(({ action }) => action.id.startsWith(id))
    const [first, second] = found
    if (id === '' || first === undefined)
      throw new StoreError(
        'INVALID_ARGUMENT',
        `No action has the name '${id}'. unikv tune history lists them.`,
      )
    if (second !== undefined)
      throw new StoreError(
        'INVALID_ARGUMENT',
        `Several actions begin with '${id}': ${found.map(({ action }) => action.id).join(', ')}.`,
      )
    return first
  }

  async *#listed(
    prefix: string,
    onUnreadable?: (error: StoreError, key: string) => void,
  ): AsyncIterable<readonly [key: string, entry: Entry<Bytes>]> {
    const found = new Map<string, Entry<Bytes>>()
    const skip = onUnreadable && ((error: StoreError, key = '') => onUnreadable(error, key))
    for await (const [key, entry] of this.#kv.entries({ prefix, ...(skip && { onUnreadable: skip }) }))
      found.set(key, entry)
    yield* found
  }
}

type Step = Action['steps'][number]

/** States from which an owner may answer so. */
const answerable: Readonly<Record<'approved' | 'rejected' | 'undoing', readonly State[]>> = {
  approved: ['proposed'],
  rejected: ['proposed', 'approved'],
  undoing: ['approved', 'begun', 'checking', 'kept'],
}

function refuse({ id, state, lapsesAt }: Action, answer: 'approved' | 'rejected' | 'undoing'): void {
  const isLate = state === 'proposed' && answer === 'approved' && wallClock() > lapsesAt
  if (answerable[answer].includes(state) && !isLate) return
  const now = isLate ? 'has lapsed' : endStates.includes(state) ? `is ${state}` : `is ${state} already`
  const verb = { approved: 'approved', rejected: 'rejected', undoing: 'taken back' }[answer]
  throw new StoreError('INVALID_ARGUMENT', `The action ${id} ${now}, so it cannot be ${verb}.`)
}

/** Changes of one place are taken back from the latest to the earliest: each knows only the state before it. */
function refuseReplaced({ id, at, store, place }: Action, all: readonly Kept[]): void {
  const later = all.findLast(
    ({ action }) =>
      action.isOn && action.store === store && action.place === place && action.id !== id && action.at >= at,
  )
  if (place === undefined || later === undefined) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `The action ${later.action.id} (${later.action.title}) was done after ${id}, and changed the same. Take that one back first.`,
  )
}

/** A KeyValue of objects could not hold the bytes of a record. */
function checkBytes(keeper: LogKeeper): void {
  const codec = codecOf(keeper)
  if (codec === undefined) return
  const what = `The log of a tuner is kept as bytes, but ${keeper.name} has the codec ${codec}. Give a KeyValue without one.`
  throw new StoreError('INVALID_CONFIG', what, { store: keeper.name })
}

function keyOf({ at, id }: Action): string {
  return `action/${new Date(at).toISOString()}/${id}`
}
