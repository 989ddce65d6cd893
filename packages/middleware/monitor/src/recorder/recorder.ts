import { hostname } from 'node:os'
import {
  checkFactoryOptions,
  checkMs,
  layersOf,
  type OptionNames,
  StoreError,
  unfailingListener,
  unfailingNumbers,
} from '@unikv/core/adapter'
import { monotonicClock, wallClock } from '@unikv/core/platform'
import type { Counts } from '../counts.ts'
import type { Monitor } from '../monitor.ts'
import { countsBehind, countsIn, countsToTake } from '../taking.ts'
import { KeepingRecorder, type Parts } from './keeping-recorder.ts'
import { type Keeper, KeptRecords } from './kept-records.ts'
import { checkMachines } from './machines.ts'
import { periodMs } from './periods.ts'
import { checkPolicies, Policies } from './policies.ts'
import type { Recorder, RecorderOptions } from './recorder-api.ts'

const names: OptionNames<RecorderOptions> = {
  keepIn: true,
  flushMs: true,
  minutesMs: true,
  hoursMs: true,
  daysMs: true,
  statisticsMs: true,
  machines: true,
  processName: true,
  onError: true,
  policies: true,
  onEvent: true,
  clock: true,
  monotonicClock: true,
}

/** Options about what is kept, which mean nothing without a place for it. */
const ofKeeping = ['flushMs', 'minutesMs', 'hoursMs', 'daysMs', 'processName'] as const

/** The longest time to live that a KeyValue takes: a hundred years. */
const longestMs = 3_155_760_000_000

/**
 * Record the figures of a monitor from now on. Close it before the KeyValue that it writes to.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong option, or if the monitor has a recorder; `UNSUPPORTED` for a store that cannot list keys
 */
export function recorder(monitor: Monitor, options: RecorderOptions = {}): Recorder {
  const parts = partsOf(monitor, options)
  const { counts, giveBack } = countsToTake(monitor)
  return new KeepingRecorder(counts, { ...parts, giveBack })
}

/**
 * Check the options of a recorder, but record nothing: nothing is read or written.
 *
 * @throws {StoreError} as `recorder`
 */
export function checkRecorder(monitor: Monitor, options: RecorderOptions = {}): void {
  partsOf(monitor, options)
}

function partsOf(monitor: Monitor, options: RecorderOptions): Omit<Parts, 'giveBack'> {
  checkFactoryOptions('recorder', options, names)
  checkKeeping(options)
  const { flushMs = 5000, statisticsMs = 30_000, minutesMs = periodMs.day } = options
  const { hoursMs = 30 * periodMs.day, daysMs = 400 * periodMs.day } = options
  checkMs({ statisticsMs }, { least: 1000 })
  const { keepIn, processName = `${hostname()}:${process.pid}` } = options
  const records = keepIn === undefined ? undefined : new KeptRecords(keepIn)
  if (keepIn !== undefined) checkOther(keepIn, countsIn('recorder', monitor))
  const policies = new Policies(checkPolicies(options.policies ?? []))
  return {
    records,
    flushMs,
    statisticsMs,
    machines: checkMachines(options.machines ?? {}),
    retention: { minute: minutesMs, hour: hoursMs, day: daysMs },
    processName,
    onError: unfailingListener('recorder', 'onError', options.onError),
    onEvent: unfailingListener('recorder', 'onEvent', options.onEvent),
    policies,
    clock: unfailingNumbers('recorder', 'clock', options.clock, wallClock),
    monotonicClock: unfailingNumbers(
      'recorder',
      'monotonicClock',
      options.monotonicClock ?? options.clock,
      monotonicClock,
    ),
  }
}

function checkKeeping(options: RecorderOptions): void {
  const { flushMs, minutesMs, hoursMs, daysMs, processName } = options
  const idle = ofKeeping.find((name) => options[name] !== undefined)
  if (options.keepIn === undefined && idle !== undefined)
    throw new StoreError(
      'INVALID_CONFIG',
      `\`${idle}\` of recorder() needs \`keepIn\`: where the figures are kept.`,
    )
  checkMs({ flushMs }, { least: 100, most: periodMs.hour })
  checkMs({ minutesMs, hoursMs, daysMs }, { least: periodMs.minute, most: longestMs })
  if (processName !== undefined && !(typeof processName === 'string' && /^\P{Cc}{1,100}$/u.test(processName)))
    throw new StoreError(
      'INVALID_CONFIG',
      '`processName` of recorder() must be a text of 1 to 100 characters, without control characters.',
    )
}

/** A monitor that counts the writes of its own figures would never rest. */
function checkOther(keepIn: Keeper, counts: Counts): void {
  if (!layersOf(keepIn).some(({ layer }) => countsBehind(layer) === counts)) return
  throw new StoreError(
    'INVALID_CONFIG',
    `${keepIn.name} is counted by this monitor, which would count its own writes without end. Give \`keepIn\` a KeyValue without the monitor.`,
    { store: keepIn.name },
  )
}
