import { type Bytes, isStoreError, type KeyValue } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { type Monitor, monitor } from '@unikv/monitor'
import type { Recorder, RecorderOptions } from '@unikv/monitor/recorder'
import type { Checked } from './configuration/check-configuration.ts'
import type { MonitorConfiguration, StoreConfiguration } from './configuration/configuration.ts'
import { orderOf } from './configuration/references.ts'
import { wrong } from './configuration/wrong.ts'
import type { Opened, Watching } from './stack.ts'

/** The monitor that a configuration asks for. */
export function monitorOf({ monitor: given }: Checked): Monitor | undefined {
  return given === undefined ? undefined : monitor({ recentCalls: given.recentCalls })
}

/**
 * The layers by which the monitor sees a store.
 *
 * @throws {StoreError} `INVALID_CONFIG` where it cannot be monitored
 */
export function watchingOf(name: string, { monitor: given, stores }: Checked, made?: Monitor): Watching {
  const { monitored } = stores[name] as StoreConfiguration
  const keeps = given?.keepIn === name
  const path = `stores.${name}.monitored`
  if (monitored === true && keeps)
    throw wrong(
      path,
      'this store keeps the figures of the monitor, which would count its own writes without end',
    )
  if (monitored === true && made === undefined)
    throw wrong(path, 'there is no monitor. Add `monitor: true` beside `stores`')
  if (made === undefined || keeps || monitored === false) return { above: [], below: [] }
  // The bytes of the figures pass through these too, and would be figures again.
  const underKeeper =
    given?.keepIn === undefined ? [] : orderOf({ stores, monitor: undefined }, [given.keepIn])
  return { above: [made], below: underKeeper.includes(name) ? [] : [made.traffic()] }
}

/** `recorder`, or `checkRecorder` for a manager that records nothing. */
export type Record = (monitor: Monitor, options: RecorderOptions) => Recorder | void

/** The recorder of the figures, which keeps them in one of the stores if the configuration says so. */
export function recorderOf(
  given: MonitorConfiguration | undefined,
  made: Monitor | undefined,
  opened: readonly Opened[],
  record: Record,
): Recorder | undefined {
  if (given === undefined || made === undefined) return undefined
  const { keepIn, recentCalls: _recentCalls, ...options } = given
  const keeper = opened.find(({ name }) => name === keepIn)?.kv as KeyValue<string, Bytes> | undefined
  try {
    return record(made, { onError: warnedOnce(), ...options, keepIn: keeper }) ?? undefined
  } catch (cause) {
    throw isStoreError(cause) ? wrong('monitor', cause.message, cause) : cause
  }
}

/** Lost figures must not go unseen: the first failure is told as a warning of the process. */
function warnedOnce(): (error: unknown) => void {
  let isTold = false
  return (error) => {
    if (isTold) return
    isTold = true
    const why = isError(error) ? error.message : String(error)
    process.emitWarning(
      `Figures of the monitor could not be kept: ${why} They are written with later ones.`,
      'UnikvWarning',
    )
  }
}
