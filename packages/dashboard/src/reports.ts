import { randomBytes } from 'node:crypto'
import { monotonicClock } from '@unikv/core/platform'
import { Refused } from '@unikv/http/parts'

/** Results of benchmarks, and pages of them. */
export interface Reports {
  /** The results that there are, the newest first. */
  list(): Promise<readonly ReportEntry[]>
  /** The page of one result, or one page of several of the same study. */
  page(names: readonly string[]): Promise<string>
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

/** Pages of reports hold their style, and no code. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/**
 * Pages of reports under addresses that are not to be guessed: a frame of a page cannot send a token.
 */
export class ReportPages {
  readonly #reports: Reports
  readonly #openable = new Map<string, { readonly names: readonly string[]; readonly until: number }>()

  constructor(reports: Reports) {
    this.#reports = reports
  }

  /** The path under which the page of these results can be opened for a minute. */
  path(names: unknown): string {
    if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === 'string'))
      throw new Refused(400, 'BAD_REQUEST', 'Name one result, or several of one study: { "names": […] }.')
    const now = monotonicClock()
    for (const [ticket, { until }] of this.#openable) if (until < now) this.#openable.delete(ticket)
    const ticket = randomBytes(24).toString('base64url')
    this.#openable.set(ticket, { names, until: now + openableMs })
    return `reports/${ticket}`
  }

  /** The page. @throws {Refused} for an address that is not known any more */
  async open(ticket: string): Promise<Response> {
    const found = this.#openable.get(ticket)
    if (found === undefined || found.until < monotonicClock())
      throw new Refused(404, 'NOT_FOUND', 'This page cannot be opened any more. Open it anew from the list.')
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
    }
    return new Response(await this.#reports.page(found.names), { headers })
  }

  list(): Promise<readonly ReportEntry[]> {
    return this.#reports.list()
  }
}
