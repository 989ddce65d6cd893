import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  checkFactoryOptions,
  checkMs,
  type OptionNames,
  unfailingListener,
  unfailingNumbers,
} from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { Monitor } from '../monitor.ts'
import { countsToTake } from '../taking.ts'
import { KeepingRecorder } from './keeping-recorder.ts'
import { KeptRecords } from './kept-records.ts'
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
  processName: true,
  onError: true,
  policies: true,
  onEvent: true,
  clock: true,
}

/**
 * Record the figures of a monitor from now on. Close it before the KeyValue that it writes to.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong option, or if the monitor has a recorder; `UNSUPPORTED` for a store that cannot list keys
 */
export function recorder(monitor: Monitor, options: RecorderOptions = {}): Recorder {
  checkFactoryOptions('recorder', options, names)
  const {
    flushMs = 5000,
    minutesMs = periodMs.day,
    hoursMs = 30 * periodMs.day,
    daysMs = 400 * periodMs.day,
    statisticsMs = 30_000,
  } = options
  checkMs({ flushMs }, { least: 100 })
  checkMs({ statisticsMs }, { least: 1000 })
  checkMs({ minutesMs, hoursMs, daysMs }, { least: periodMs.minute })
  const { keepIn, processName = `${hostname()}:${process.pid}` } = options
  const records = keepIn === undefined ? undefined : new KeptRecords(keepIn)
  const policies = new Policies(checkPolicies(options.policies ?? []))
  const { counts, giveBack } = countsToTake(monitor)
  return new KeepingRecorder(counts, {
    records,
    flushMs,
    statisticsMs,
    retention: { minute: minutesMs, hour: hoursMs, day: daysMs },
    writer: { id: randomUUID().slice(0, 13), name: processName },
    onError: unfailingListener('recorder', 'onError', options.onError),
    onEvent: unfailingListener('recorder', 'onEvent', options.onEvent),
    policies,
    clock: unfailingNumbers('recorder', 'clock', options.clock, wallClock),
    giveBack,
  })
}
