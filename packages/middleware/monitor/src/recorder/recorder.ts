import { hostname } from 'node:os'
import {
  any,
  layersOf,
  listener,
  ms,
  type OptionsOf,
  quietClock,
  readOptions,
  StoreError,
  valid,
} from '@unikv/core/adapter'
import { monotonicClock } from '@unikv/core/platform'
import type { Counts } from '../counts.ts'
import type { Monitor } from '../monitor.ts'
import { countsBehind, countsIn, countsToTake } from '../taking.ts'
import { KeepingRecorder, type Parts } from './keeping-recorder.ts'
import { type Keeper, KeptRecords } from './kept-records.ts'
import { checkMachines } from './machines.ts'
import { periodMs } from './periods.ts'
import { checkPolicies, Policies, type Policy } from './policies.ts'
import type { Recorder, RecorderEvent } from './recorder-api.ts'

/** Summaries are kept for a minute at least, and for the longest time to live that a KeyValue takes: a hundred years. */
const keeping = { least: periodMs.minute, most: 3_155_760_000_000 }

const table = {
  /** Where figures are kept: any KeyValue of bytes, whose store can list keys. @default nowhere: windows only */
  keepIn: any<Keeper>(),
  /** How often figures are written, from 100 milliseconds to an hour: so much is lost at most when the process is killed. @default 5,000 */
  flushMs: ms(5_000, { least: 100, most: periodMs.hour }),
  /** How long summaries of a minute are kept, in milliseconds. @default a day */
  minutesMs: ms(periodMs.day, keeping),
  /** How long summaries of an hour are kept. @default 30 days */
  hoursMs: ms(30 * periodMs.day, keeping),
  /** How long summaries of a day are kept. @default 400 days */
  daysMs: ms(400 * periodMs.day, keeping),
  /** How often servers are asked for their statistics, in milliseconds; `Infinity`: never. @default 30,000 */
  statisticsMs: ms(30_000, { least: 1_000 }),
  /**
   * Machines whose load is watched: the addresses of their [node_exporter](https://github.com/prometheus/node_exporter) by name, asked every five seconds.
   * @default none
   */
  machines: (given: { readonly [machine: string]: string } | undefined = {}) => checkMachines(given),
  /** Name of the process in the records, of at most 100 characters. @default the host and the number of the process */
  processName: valid<string>('be a text of 1 to 100 characters, without control characters', isName),
  /** Promises about stores, judged every second, see below. @default none */
  policies: (given: readonly Policy[] | undefined = []) => new Policies(checkPolicies(given)),
  /** Told when a policy begins to be violated, and when it holds again; and likewise of a resource of the process, a server or a machine above 90 %. */
  onEvent: listener<RecorderEvent>(),
  /** Told of figures that could not be written; they are written with the next ones. */
  onError: listener<unknown>(),
  /** Wall clock in milliseconds, for the times of records. @default Date.now */
  clock: quietClock(),
  /** Monotonic clock for windows, in milliseconds: setting the clock of the machine does not move them. @default Node's; a `clock` that is given */
  monotonicClock: quietClock(monotonicClock),
}

/** Settings of a recorder. */
export interface RecorderOptions extends OptionsOf<typeof table> {}

/** Options about what is kept, which mean nothing without a place for it. */
const ofKeeping = ['flushMs', 'minutesMs', 'hoursMs', 'daysMs', 'processName'] as const

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
  const settings = readOptions('recorder', table, options)
  const { keepIn, minutesMs, hoursMs, daysMs, processName, ...others } = settings
  const idle = ofKeeping.find((name) => options[name] !== undefined)
  if (keepIn === undefined && idle !== undefined)
    throw new StoreError(
      'INVALID_CONFIG',
      `\`${idle}\` of recorder() needs \`keepIn\`: where the figures are kept.`,
    )
  const records = keepIn === undefined ? undefined : new KeptRecords(keepIn)
  if (keepIn !== undefined) checkOther(keepIn, countsIn('recorder', monitor))
  const hasOwnTime = options.clock !== undefined && options.monotonicClock === undefined
  return {
    ...others,
    records,
    retention: { minute: minutesMs, hour: hoursMs, day: daysMs },
    processName: processName ?? `${hostname()}:${process.pid}`,
    monotonicClock: hasOwnTime ? settings.clock : settings.monotonicClock,
  }
}

function isName(given: unknown): boolean {
  return typeof given === 'string' && /^\P{Cc}{1,100}$/u.test(given)
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
