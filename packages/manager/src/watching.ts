import { type Bytes, isStoreError, type KeyValue } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { type Monitor, monitor } from '@unikv/monitor'
import { type Recorder, recorder } from '@unikv/monitor/recorder'
import type { Checked } from './configuration/check-configuration.ts'
import type { MonitorConfiguration, StoreConfiguration } from './configuration/configuration.ts'
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
  return { above: [made], below: [made.traffic()] }
}

/** The recorder of the figures, which keeps them in one of the stores if the configuration says so. */
export function recorderOf(
  given: MonitorConfiguration | undefined,
  made: Monitor | undefined,
  opened: readonly Opened[],
): Recorder | undefined {
  if (given === undefined || made === undefined) return undefined
  const { keepIn, recentCalls: _recentCalls, ...options } = given
  const keeper = opened.find(({ name }) => name === keepIn)?.kv as KeyValue<string, Bytes> | undefined
  try {
    return recorder(made, { onError: warnedOnce(), ...options, keepIn: keeper })
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
