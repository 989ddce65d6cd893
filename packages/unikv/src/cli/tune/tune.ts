import { userInfo } from 'node:os'
import { parseDuration } from '@unikv/bench/engine'
import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import { AbortController, pause, wallClock } from '@unikv/core/platform'
import { type Configuration, loadConfig, openHistory, openStore, openUnrecorded } from '@unikv/manager'
import { keptHistory, type Policy } from '@unikv/monitor/recorder'
import { type Action, explained, dryRun as hindsights, TunerLog } from '@unikv/tuner'
import { sectionsText } from '../columns.ts'
import { reading } from '../data/there.ts'
import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'
import { hindsightData, hindsightSections } from './hindsight-view.ts'
import { historySections, pauseText, tuneData, tuneSections } from './tune-view.ts'

/** Options of all commands of `unikv tune`. */
export interface TuneOptions {
  readonly config?: string
  readonly url?: string
  readonly keepIn?: string
  readonly interval?: string
  readonly for?: string
  readonly why?: string
  readonly once?: true
  readonly dryRun?: true
  readonly json?: true
}

/** The store that keeps the log, opened. */
interface Opened {
  readonly log: TunerLog
  readonly kv: KeyValue<string, Bytes>
  readonly policies: readonly Policy[]
  /** Names of the stores, where they are known. */
  readonly stores: readonly string[] | undefined
  close(): Promise<void>
}

/** Print promises and proposals: once, or again and again until Ctrl-C. */
export async function live(options: TuneOptions, terminal: Terminal): Promise<void> {
  const intervalMs = parseDuration(options.interval ?? '2s')
  if (intervalMs < 100 || intervalMs > 86_400_000)
    throw new StoreError('INVALID_ARGUMENT', '--interval must be from 100ms to 24h.')
  const { out, width, hasColors, onInterrupt, drained } = terminal
  const end = new AbortController()
  onInterrupt(() => end.abort())
  await withLog(options, async ({ log, kv, policies }) => {
    const figures = keptHistory(kv)
    const isRedrawn = width !== undefined && options.once !== true && options.json !== true
    let drawn = 0
    do {
      const look = {
        at: wallClock(),
        processes: await figures.live({ onUnreadable: () => {} }),
        actions: (await log.actions(() => {})).map(({ action }) => action),
        nothings: await log.nothings(() => {}),
        pauses: await log.pauses.now(),
        policies,
      }
      if (options.json === true) out(`${JSON.stringify(tuneData(look))}\n`)
      else {
        const text = printable(sectionsText(tuneSections(look), width, hasColors), width)
        out(`${isRedrawn && drawn > 0 ? `\u001b[${drawn}F\u001b[J` : ''}${text}`)
        drawn = text.split('\n').length - 1
      }
      if (options.once === true || (await drained?.()) === false) return
      await pause(intervalMs, { signal: end.signal })
    } while (!end.signal.aborted)
  })
}

/** Keep the owner's answer. The tuner of the program acts on it at its next look. */
export async function answer(
  id: string,
  answered: 'approved' | 'rejected' | 'undoing',
  options: TuneOptions,
  terminal: Terminal,
): Promise<void> {
  await withLog(options, async ({ log }) => {
    const action = await log.answer(id, answered, ownName())
    if (options.json === true) terminal.out(`${JSON.stringify(action)}\n`)
    else terminal.out(printable(`${answerText(action)}\n`, terminal.width))
  })
}

/** Let the tuners of all programs leave a store alone. */
export async function pauseStore(
  store: string | undefined,
  options: TuneOptions,
  terminal: Terminal,
): Promise<void> {
  const forMs = parseDuration(options.for ?? '1h')
  if (forMs < 1 || forMs > 7 * 86_400_000)
    throw new StoreError('INVALID_ARGUMENT', '--for must be at most 7 days.')
  await withLog(options, async ({ log, stores }) => {
    const fromAt = wallClock()
    const { why } = options
    const paused = { store: store ?? null, fromAt, untilAt: fromAt + forMs, by: ownName(), why }
    await log.pauses.begin(paused, stores)
    if (options.json === true) terminal.out(`${JSON.stringify(paused)}\n`)
    else terminal.out(printable(`${pauseText(paused)}. unikv tune resume ends it.\n`, terminal.width))
  })
}

/** End a pause of a store, or all pauses. */
export async function resumeStore(
  store: string | undefined,
  options: TuneOptions,
  terminal: Terminal,
): Promise<void> {
  await withLog(options, async ({ log, stores }) => {
    const ended = await log.pauses.end(store, stores)
    if (options.json === true) terminal.out(`${JSON.stringify(ended)}\n`)
    else if (ended.length === 0) terminal.out('There was no pause.\n')
    else
      for (const one of ended)
        terminal.out(printable(`Ended: the pause of ${one.store ?? 'all stores'}.\n`, terminal.width))
  })
}

/** Print why an action was proposed, and how it went. */
export async function explain(id: string, options: TuneOptions, terminal: Terminal): Promise<void> {
  await withLog(options, async ({ log }) => {
    const { action } = await log.named(id)
    if (options.json === true) terminal.out(`${JSON.stringify(action)}\n`)
    else {
      const lines = [...explained(action), ...(action.state === 'proposed' ? ['', howToAnswer(action)] : [])]
      terminal.out(printable(sectionsText([lines.join('\n')], terminal.width), terminal.width))
    }
  })
}

/** Print all actions, the earliest first. */
export async function history(options: TuneOptions, terminal: Terminal): Promise<void> {
  await withLog(options, async ({ log }) => {
    const unreadable: StoreError[] = []
    const actions = (await log.actions((error) => unreadable.push(error))).map(({ action }) => action)
    for (const { message } of unreadable) terminal.error(printable(`${message}\n`, terminal.columns))
    if (options.json === true) for (const action of actions) terminal.out(`${JSON.stringify(action)}\n`)
    else terminal.out(printable(sectionsText(historySections(actions), terminal.width), terminal.width))
  })
}

/** Print what would have been proposed in the past. */
export async function dryRun(options: TuneOptions, { out, width }: Terminal): Promise<void> {
  if (options.url !== undefined)
    throw new StoreError(
      'INVALID_ARGUMENT',
      '--dry-run looks at the stores, so it needs a configuration, not --url.',
    )
  const config = await loadConfig(options.config)
  const manager = await openUnrecorded(config)
  const kept = await openHistory(config)
  try {
    const history = await reading(() => kept.history({ resolution: 'minute', onUnreadable: () => {} }))
    const { policies = [] } = manager.configuration.monitor ?? {}
    const found = await hindsights(manager, history, policies)
    if (options.json === true) for (const one of found) out(`${JSON.stringify(hindsightData(one))}\n`)
    else out(printable(sectionsText(hindsightSections(found, policies.length), width), width))
  } finally {
    await kept.close()
    await manager.close()
  }
}

async function withLog(options: TuneOptions, use: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = await openedLog(options)
  try {
    await reading(() => use(opened))
  } finally {
    await opened.close()
  }
}

async function openedLog({ config, url, keepIn }: TuneOptions): Promise<Opened> {
  const given: Configuration =
    url === undefined ? await loadConfig(config) : { stores: { log: url }, monitor: { keepIn: 'log' } }
  const monitor = typeof given.monitor === 'object' ? given.monitor : undefined
  const name = keepIn ?? monitor?.keepIn
  if (name === undefined)
    throw new StoreError(
      'INVALID_CONFIG',
      'The configuration does not say where the log of its tuner is kept. Add monitor: { keepIn: NAME }, or name the store: --keep-in NAME.',
    )
  const { kv, close } = await openStore(given, name, { prepare: false })
  const bytes = kv as KeyValue<string, Bytes>
  return {
    kv: bytes,
    log: new TunerLog(bytes),
    policies: monitor?.policies ?? [],
    stores: url === undefined ? Object.keys(given.stores) : undefined,
    close,
  }
}

function answerText({ id, title, state, store }: Action): string {
  if (state === 'approved')
    return `Approved ${id}: ${title}. The program of ${store} begins at its next look.`
  if (state === 'undoing') return `${id} will be taken back: ${title}.`
  return `Rejected ${id}: ${title}. It is not proposed again for a week, unless the load changes.`
}

function howToAnswer({ id }: Action): string {
  return `To answer: unikv tune approve ${id}, or unikv tune reject ${id}`
}

/** The person, for the log. */
function ownName(): string {
  try {
    return userInfo().username
  } catch {
    return 'the command line'
  }
}
