import { type Bytes, isStoreError, type KeyValue } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { type Monitor, monitor } from '@unikv/monitor'
import { checkRecorder, type Recorder, type RecorderOptions } from '@unikv/monitor/recorder'
import type { Checked } from './configuration/check-configuration.ts'
import type { MonitorConfiguration, StoreConfiguration } from './configuration/configuration.ts'
import { orderOf } from './configuration/references.ts'
import type { Opened, Watching } from './stack.ts'
import { wrong } from './wrong.ts'

/** The monitor that a configuration asks for. */
export function monitorOf({ monitor: given }: Checked): Monitor | undefined {
  return given === undefined ? undefined : monitor({ recentCalls: given.recentCalls })
}

/**
 * The layers by which the monitor sees a store.
 *
 * @throws {StoreError} `INVALID_CONFIG` where it cannot be monitored
 */
export function watchingOf(
  name: string,
  { monitor: given, stores }: Checked,
  made?: Monitor,
): Omit<Watching, 'prepare'> {
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
  const underKeeper = given?.keepIn === undefined ? [] : orderOf({ stores }, [given.keepIn])
  return { above: [made], below: underKeeper.includes(name) ? [] : [made.traffic()] }
}

/** `recorder`, or `checkRecorder` for a manager that records nothing. */
export type Record = (monitor: Monitor, options: RecorderOptions) => Recorder | void

/**
 * The recorder of the figures, which keeps them in one of the stores if the configuration says so.
 *
 * @param present the monitor of the configuration as it is later: its functions are called
 */
export function recorderOf(
  given: MonitorConfiguration | undefined,
  made: Monitor | undefined,
  opened: readonly Opened[],
  record: Record,
  present: () => MonitorConfiguration | undefined,
): Recorder | undefined {
  const options = checkedOptions(given, made, opened)
  if (made === undefined || options === undefined) return undefined
  const warn = warnedOnce()
  const onEvent: RecorderOptions['onEvent'] = (event) => present()?.onEvent?.(event)
  const onError = (error: unknown): unknown => (present()?.onError ?? warn)(error)
  return record(made, { ...options, onEvent, onError }) ?? undefined
}

/**
 * Options of a recorder, checked.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkedOptions(
  given: MonitorConfiguration | undefined,
  made: Monitor | undefined,
  opened: readonly Opened[],
): RecorderOptions | undefined {
  if (given === undefined || made === undefined) return undefined
  const { keepIn, recentCalls: _recentCalls, ...others } = given
  const keeper = opened.find(({ name }) => name === keepIn)?.kv as KeyValue<string, Bytes> | undefined
  const options: RecorderOptions = { ...others, keepIn: keeper }
  try {
    checkRecorder(made, options)
  } catch (cause) {
    throw isStoreError(cause) ? wrong('monitor', cause.message, cause) : cause
  }
  return options
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
