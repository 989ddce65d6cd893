import { randomBytes } from 'node:crypto'
import { monotonicClock } from '@unikv/core/platform'
import { Refused } from '@unikv/http/parts'

/** Results of benchmarks, and pages of them. */
export interface Reports {
  /** The results that there are, the newest first. */
  list(): Promise<readonly ReportEntry[]>
  /** The page of one result, or one page of several of the same study. */
  page(names: readonly string[]): Promise<string>
  /** The results of a study as one history. @default there is none */
  history?(study: string): Promise<ResultHistory>
  /** Runs that are under way. @default none are known */
  running?(): Promise<readonly RunningEntry[]>
  /** The report of one of them, as far as it is. */
  runningPage?(name: string): Promise<string>
}

/** Results of a study in the order of time, and where a figure came to another level. */
export interface ResultHistory {
  /** When each began, in milliseconds since 1970. */
  readonly results: readonly { readonly name: string; readonly at: number }[]
  /** In sentences: the changes, and doubts. */
  readonly findings: readonly string[]
  readonly figures: readonly ResultFigure[]
}

/** A figure of all results. */
export interface ResultFigure {
  /** Store, operation and figure, in words. */
  readonly title: string
  /** Such as `ms`, `ops/s` or `share`. */
  readonly unit: string
  /** One for each result; `null`: it does not have it. */
  readonly values: readonly (number | null)[]
  readonly changes: readonly FigureChange[]
  readonly verdict: 'changed' | 'steady' | 'unclear' | 'too-few-results'
}

/** A place of a history from which on a figure has another level. */
export interface FigureChange {
  /** Place of the first result after it. */
  readonly at: number
  /** Means of the results before and after. */
  readonly before: number
  readonly after: number
  readonly verdict: 'faster' | 'slower'
}

/** A run of a benchmark that is under way. */
export interface RunningEntry {
  /** The name that its result will have. */
  readonly name: string
  readonly study: string
  readonly stores: readonly string[]
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  /** How many of its measurements are done. */
  readonly done: number
  readonly cells: number
  /** How far it is, in sentences. */
  readonly text: string
  /** The part of its page that changes each second, as HTML: the element with the id `now`. */
  readonly now: string
  /** Another number when the rest of its page is another one. */
  readonly version: number
}

/** A result of a benchmark. */
export interface ReportEntry {
  readonly name: string
  readonly study: string
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  readonly stores: readonly string[]
  /** Whether it went to its end. */
  readonly status: string
}

/** How long an address of a page can be opened, in milliseconds. */
const openableMs = 60_000

/** Addresses that can be opened at a time; the oldest are forgotten. */
const mostOpenable = 1_000

/** Results that are shown together. */
const mostNames = 100

/** Pages of reports hold their style, and no code. In a sandbox a hostile file cannot lead elsewhere either. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin"

/**
 * Pages of reports under addresses that are not to be guessed: a frame of a page cannot send a token.
 */
export class ReportPages {
  readonly #reports: Reports
  readonly #openable = new Map<string, { readonly page: () => Promise<string>; readonly until: number }>()
  #running: readonly RunningEntry[] = []
  #asking: Promise<void> | undefined

  constructor(reports: Reports) {
    this.#reports = reports
  }

  /** The path under which the page of these results can be opened for a minute. */
  path({ names, running }: { readonly names?: unknown; readonly running?: unknown }): string {
    if (isName(running)) return this.#opened(() => this.runningPage(running))
    const isList = Array.isArray(names) && names.length > 0 && names.length <= mostNames
    if (!isList || !names.every(isName))
      throw new Refused(400, 'BAD_REQUEST', 'Name one result, or several of one study: { "names": […] }.')
    return this.#opened(() => this.#reports.page(names))
  }

  /** An address that makes its page when it is opened. */
  #opened(page: () => Promise<string>): string {
    const now = monotonicClock()
    for (const [ticket, { until }] of this.#openable) if (until < now) this.#openable.delete(ticket)
    const [oldest] = this.#openable.keys()
    if (oldest !== undefined && this.#openable.size >= mostOpenable) this.#openable.delete(oldest)
    const ticket = randomBytes(24).toString('base64url')
    this.#openable.set(ticket, { page, until: now + openableMs })
    return `reports/${ticket}`
  }

  /** The page. @throws {Refused} for an address that is not known any more */
  async open(ticket: string): Promise<Response> {
    const found = this.#openable.get(ticket)
    if (found === undefined || found.until < monotonicClock())
      throw new Refused(404, 'NOT_FOUND', 'This page cannot be opened any more. Open it anew from the list.')
    return htmlAnswer(await found.page())
  }

  /** The report of a run as far as it is. @throws {Refused} if it has ended */
  async runningPage(name: string): Promise<string> {
    const isKnown = (await this.#reports.running?.())?.some((one) => one.name === name)
    const page = isKnown === true ? await this.#reports.runningPage?.(name) : undefined
    if (page === undefined)
      throw new Refused(
        404,
        'NOT_FOUND',
        'There is no such run under way. Its result may be in the list by now.',
      )
    return page
  }

  /** Ask which runs are under way. Those who ask at the same time share an answer. */
  async look(): Promise<void> {
    this.#asking ??= this.#look().finally(() => (this.#asking = undefined))
    await this.#asking
  }

  /** The runs that were under way at the last look, which this begins anew. */
  running(): { readonly running: readonly RunningEntry[] } {
    // The next frame has what this finds.
    this.look().catch(() => {})
    return { running: this.#running }
  }

  async #look(): Promise<void> {
    this.#running = (await this.#reports.running?.()) ?? []
  }

  /** The results of a study as one history. @throws {Refused} without any */
  async history(study: string): Promise<ResultHistory> {
    const history = await this.#reports.history?.(study)
    if (history === undefined) throw new Refused(404, 'NOT_FOUND', 'No history of results is known here.')
    return history
  }

  list(): Promise<readonly ReportEntry[]> {
    return this.#reports.list()
  }
}

/** Whether this may be the name of a result: none is longer. */
function isName(given: unknown): given is string {
  return typeof given === 'string' && given.length <= 1_000
}

/** A page of a report, which may have style, and no code. */
export function htmlAnswer(page: string): Response {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
  return new Response(page, { headers })
}
