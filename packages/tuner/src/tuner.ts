import { hostname } from 'node:os'
import { type Bytes, type KeyValue, keyValue, StoreError } from '@unikv/core'
import {
  any,
  checkMs,
  kindOf,
  listener,
  ms,
  nearest,
  needed,
  type OptionsOf,
  quietClock,
  readOptions,
} from '@unikv/core/adapter'
import { readWholeNow } from '@unikv/core/files'
import { memory } from '@unikv/core/memory'
import type { AnyManager } from '@unikv/manager'
import { checkPolicies, keptHistory, type Policy } from '@unikv/monitor/recorder'
import { type Approve, checkApprove } from './approval.ts'
import { lessonsIn } from './learn/before/found.ts'
import { KeptLessons } from './learn/kept-lessons.ts'
import { type LessonsState, lessonsStateIn } from './learn/lessons-state.ts'
import { shipped } from './learn/shipped.ts'
import type { Action } from './log/action.ts'
import { type LogKeeper, TunerLog } from './log/tuner-log.ts'
import { RunningTuner } from './run/running-tuner.ts'
import type { Tactic } from './tactic.ts'
import { builtIn } from './tactics/built-in.ts'
import type { Tuner } from './tuner-api.ts'

const table = {
  /** The stores. Its configuration must have a monitor. */
  manager: needed(any<AnyManager>()),
  /** Promises about the stores. @default those of the manager's monitor */
  policies: any<readonly Policy[]>(),
  /** @default all that unikv has */
  tactics: (given: readonly Tactic[] | undefined = builtIn) => checkedTactics(given),
  /**
   * `'ask'`: each proposal waits for its owner, and lapses after 24 hours. A policy or a function may say yes in the owner's
   * place. Without a yes nothing is ever done.
   *
   * @default 'ask'
   */
  approve: (given: Approve | undefined = 'ask') => given,
  /** Where the log is kept: the name of a store of the manager, or a KeyValue of bytes. @default the store in which the monitor keeps its figures; without one, in this process alone */
  keepIn: any<string | LogKeeper>(),
  /**
   * Lessons of before: a file of `unikv tune learn`, or its contents; `false`: none. They weigh little, and what is measured
   * here outweighs it soon.
   *
   * @default what was learned on the machine of unikv's developers
   */
  lessons: any<string | LessonsState | false>(),
  /** How often it looks, in milliseconds. @default 5,000 */
  everyMs: ms(5_000, { least: 100, most: 60_000 }),
  /** Told of each step of an action. */
  onStep: listener<Action>(),
  /** Told of what went wrong with looking, deciding or keeping; it is tried again at the next look. */
  onError: listener<unknown>(),
  /** Wall clock in milliseconds. @default Date.now */
  clock: quietClock(),
}

/** Settings of a tuner. */
export interface TunerOptions extends OptionsOf<typeof table> {}

/**
 * Watch the stores of a manager. It observes, and proposes what would help a promise that is not kept; without a yes of the owner
 * it changes nothing.
 *
 * ```ts
 * await using tuning = tuner({ manager })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong option, or a promise about what is not there
 */
export function tuner(options: TunerOptions): Tuner {
  const settings = readOptions('tuner', table, options)
  const { manager, approve, everyMs, tactics, onStep, onError, clock } = settings
  const recorder = manager?.recorder
  if (typeof manager?.reload !== 'function')
    throw wrong(`\`manager\` must be what openStores() returns, got ${kindOf(manager)}`)
  if (recorder === undefined)
    throw wrong(
      '`manager` has no monitor, so there is nothing to tune by. Add `monitor` to its configuration',
    )
  const policies = checkPolicies(settings.policies ?? manager.configuration.monitor?.policies ?? [])
  for (const policy of policies) checkKnown(policy, manager)
  checkApprove(approve, {
    tactics: tactics.map(({ name }) => name),
    stores: Object.keys(manager.configuration.stores),
  })
  const log = new TunerLog(keeperOf(settings))
  return new RunningTuner({
    manager,
    recorder,
    policies,
    tactics,
    approve,
    everyMs,
    log,
    lessons: new KeptLessons({
      log,
      clock,
      onError,
      start: startFrom(settings.lessons),
      tactics: tactics.map(({ name }) => name),
    }),
    kept: keptIn(manager),
    by: manager.configuration.monitor?.processName ?? `${hostname()}:${process.pid}`,
    onStep,
    onError,
    clock,
  })
}

function keeperOf({ keepIn, manager }: TunerOptions): LogKeeper {
  const stores = manager.stores as { readonly [name: string]: KeyValue<string, Bytes> | undefined }
  const name = keepIn ?? manager.configuration.monitor?.keepIn
  if (name === undefined) return keyValue(memory())
  if (typeof name !== 'string') return name
  const found = stores[name]
  if (found === undefined)
    throw wrong(`\`keepIn\` names the store '${name}', but the manager has ${Object.keys(stores).join(', ')}`)
  return found
}

/** Figures of all processes, where they are kept. */
function keptIn(manager: AnyManager): ReturnType<typeof keptHistory> | undefined {
  const { keepIn } = manager.configuration.monitor ?? {}
  const stores = manager.stores as { readonly [name: string]: KeyValue<string, Bytes> }
  return keepIn === undefined ? undefined : keptHistory(stores[keepIn] as KeyValue<string, Bytes>)
}

function checkedTactics(tactics: readonly Tactic[]): readonly Tactic[] {
  if (!Array.isArray(tactics)) throw wrong(`\`tactics\` must be a list, got ${kindOf(tactics)}`)
  const seen = new Set<unknown>()
  for (const [i, tactic] of tactics.entries()) {
    const missing = ['applies', 'carryOut', 'undo', 'isDone'].find(
      (name) => typeof tactic?.[name] !== 'function',
    )
    if (missing !== undefined) throw wrong(`\`tactics[${i}]\` has no function ${missing}`)
    if (typeof tactic.name !== 'string' || !/^[\w-]{1,40}$/.test(tactic.name) || seen.has(tactic.name))
      throw wrong(`\`tactics[${i}]\` needs a name of its own, of letters, digits and hyphens`)
    checkMs({ limitMs: tactic.limitMs })
    seen.add(tactic.name)
  }
  return tactics
}

function checkKnown({ store, operation }: Policy, { configuration }: AnyManager): void {
  const known = Object.keys(configuration.stores)
  // Native calls have names of their own.
  if (known.includes(store) || operation === 'native' || operation.startsWith('by ')) return
  const near = nearest(store, known)
  throw wrong(
    `\`policies\` names the store '${store}', which the manager does not have. ${near === undefined ? `It has ${known.join(', ')}` : `Did you mean '${near}'?`}`,
  )
}

function wrong(what: string): StoreError {
  return new StoreError('INVALID_CONFIG', what.endsWith('?') ? `tuner(): ${what}` : `tuner(): ${what}.`)
}

/**
 * The lessons to begin from.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a file that cannot be read or is not finished; `CORRUPT` for one that has no lessons
 */
function startFrom(given: unknown): LessonsState | undefined {
  if (given === false) return undefined
  if (given === undefined) return shipped()
  if (typeof given !== 'string') return lessonsStateIn('`lessons` of tuner()', given)
  return lessonsIn(given, textOf(given))
}

function textOf(file: string): string {
  try {
    return readWholeNow(file).toString()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new StoreError('INVALID_CONFIG', `\`lessons\` of tuner(): ${file} cannot be read (${code}).`, {
      cause,
    })
  }
}
