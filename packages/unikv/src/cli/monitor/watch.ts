import { parseDuration } from '@unikv/bench/engine'
import { StoreError } from '@unikv/core'
import { AbortController, pause, wallClock } from '@unikv/core/platform'
import { loadConfig, type OpenedHistory, openHistory } from '@unikv/manager'
import { sectionsText } from '../columns.ts'
import { reading } from '../data/there.ts'
import type { Terminal } from '../terminal.ts'
import { historyRows, historySections } from './history-view.ts'
import { LiveView } from './live-view.ts'
import type { MonitorCommandOptions } from './monitor-command.ts'

/** Print the figures that are kept: once, or again and again until Ctrl-C. */
export async function watch(options: MonitorCommandOptions, terminal: Terminal): Promise<void> {
  const intervalMs = parseDuration(options.interval)
  if (intervalMs < 100 || intervalMs > 86_400_000)
    throw new StoreError('INVALID_ARGUMENT', '--interval must be from 100ms to 24h.')
  const kept = await openedHistory(options)
  const look = options.history === undefined ? live : past
  try {
    await reading(() => look(kept, options, intervalMs, terminal))
  } finally {
    await kept.close()
  }
}

async function openedHistory({ config, url }: MonitorCommandOptions): Promise<OpenedHistory> {
  if (url !== undefined) return openHistory({ stores: { figures: url }, monitor: { keepIn: 'figures' } })
  return openHistory(await loadConfig(config))
}

async function past(
  kept: OpenedHistory,
  options: MonitorCommandOptions,
  _intervalMs: number,
  { out, width }: Terminal,
): Promise<void> {
  const { history: resolution, store, from, to, json } = options
  const points = await kept.history({ resolution, store, from, to, operation: options.operation as never })
  if (json === true) for (const row of historyRows(points)) out(`${JSON.stringify(row)}\n`)
  else out(sectionsText(historySections(points), width))
}

async function live(
  kept: OpenedHistory,
  options: MonitorCommandOptions,
  intervalMs: number,
  { out, width, hasColors, onInterrupt, drained }: Terminal,
): Promise<void> {
  const end = new AbortController()
  onInterrupt(() => end.abort())
  const view = new LiveView(options)
  const isRedrawn = width !== undefined && options.once !== true && options.json !== true
  let drawn = 0
  do {
    const now = wallClock()
    const processes = await kept.live()
    if (options.json === true) out(`${JSON.stringify(view.data(processes, now))}\n`)
    else {
      const text = sectionsText(view.sections(processes, now), width, hasColors)
      out(`${isRedrawn && drawn > 0 ? `\u001b[${drawn}F\u001b[J` : ''}${text}`)
      drawn = text.split('\n').length - 1
    }
    if (options.once === true || (await drained?.()) === false) return
    await pause(intervalMs, { signal: end.signal })
  } while (!end.signal.aborted)
}
