import { hostname } from 'node:os'
import { type Bytes, type KeyValue, keyValue, StoreError } from '@unikv/core'
import {
  checkFactoryOptions,
  checkMs,
  kindOf,
  nearest,
  type OptionNames,
  unfailingListener,
  unfailingNumbers,
} from '@unikv/core/adapter'
import { readWholeNow } from '@unikv/core/files'
import { memory } from '@unikv/core/memory'
import { wallClock } from '@unikv/core/platform'
import type { AnyManager } from '@unikv/manager'
import { checkPolicies, keptHistory, type Policy } from '@unikv/monitor/recorder'
import { checkApprove } from './approval.ts'
import { lessonsIn } from './learn/before/found.ts'
import { KeptLessons } from './learn/kept-lessons.ts'
import { type LessonsState, lessonsStateIn } from './learn/lessons-state.ts'
import { shipped } from './learn/shipped.ts'
import { type LogKeeper, TunerLog } from './log/tuner-log.ts'
import { RunningTuner } from './run/running-tuner.ts'
import { builtIn } from './tactics/built-in.ts'
import type { Tuner, TunerOptions } from './tuner-api.ts'

const names: OptionNames<TunerOptions> = {
  manager: true,
  policies: true,
  tactics: true,
  approve: true,
  keepIn: true,
  lessons: true,
  everyMs: true,
  onStep: true,
  onError: true,
  clock: true,
}

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
  checkFactoryOptions('tuner', options, names)
  const { manager, approve = 'ask', everyMs = 5000, tactics = builtIn } = options
  const recorder = manager?.recorder
  if (typeof manager?.reload !== 'function')
    throw wrong(`\`manager\` must be what openStores() returns, got ${kindOf(manager)}`)
  if (recorder === undefined)
    throw wrong(
      '`manager` has no monitor, so there is nothing to tune by. Add `monitor` to its configuration',
    )
  checkMs({ everyMs }, { least: 100, most: 60_000 })
  checkTactics(tactics)
  const policies = checkPolicies(options.policies ?? manager.configuration.monitor?.policies ?? [])
  for (const policy of policies) checkKnown(policy, manager)
  checkApprove(approve, {
    tactics: tactics.map(({ name }) => name),
    stores: Object.keys(manager.configuration.stores),
  })
  const log = new TunerLog(keeperOf(options))
  const onError = unfailingListener('tuner', 'onError', options.onError)
  const clock = unfailingNumbers('tuner', 'clock', options.clock, wallClock)
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
      start: startFrom(options.lessons),
      tactics: tactics.map(({ name }) => name),
    }),
    kept: keptIn(manager),
    by: manager.configuration.monitor?.processName ?? `${hostname()}:${process.pid}`,
    onStep: unfailingListener('tuner', 'onStep', options.onStep),
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

function checkTactics(tactics: unknown): void {
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
