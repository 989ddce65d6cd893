import { isStoreError, type StoreError, toStoreError } from '@unikv/core'
import { names, protocol } from '../protocol/headers.ts'
import { type Problem, problemOf, problemType, refusal } from '../protocol/problems.ts'

/** Ends a request with a problem of the server itself. */
export class Refused extends Error {
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>

  constructor(
    ...[status, code, detail, headers = {}]: [...Parameters<typeof refusal>, headers?: Record<string, string>]
  ) {
    super(detail)
    this.problem = refusal(status, code, detail)
    this.headers = headers
  }
}

/** A name that a caller gave, for a message: its beginning alone. */
export function shown(name: string): string {
  return name.length <= 40 ? name : `${name.slice(0, 40)}…`
}

/** Refuse a body with a property that is not known here: nothing is accepted and ignored. */
export function refuseOthers(others: Readonly<Record<string, unknown>>): void {
  const [other] = Object.keys(others)
  if (other !== undefined) throw badRequest(`The body has the unknown property '${shown(other)}'.`)
}

/** Refuse a request that makes no sense. */
export function badRequest(detail: string): Refused {
  return new Refused(400, 'BAD_REQUEST', detail)
}

/** The answer to a request that failed. `hear` is told of errors that no store has told. */
export function answerTo(error: unknown, hear: (error: unknown) => void): Response {
  if (error instanceof Refused) return problemAnswer(error.problem, error.headers)
  if (!isStoreError(error)) hear(error)
  return problemAnswer(problemOf(withoutCause(error)))
}

/** A problem as a response. */
function problemAnswer(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  const { status, version } = problem
  const own: Record<string, string> = { 'content-type': problemType, [names.protocol]: protocol, ...headers }
  if (version !== undefined) own[names.version] = version
  if (problem.retryable && status === 503) own['retry-after'] = '1'
  return new Response(JSON.stringify(problem), { status, headers: own })
}

/** The message of an error of another kind may hold anything. */
function withoutCause(error: unknown): StoreError {
  return isStoreError(error) ? error : toStoreError(error, { code: 'UNAVAILABLE' })
}
