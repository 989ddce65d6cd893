import { StoreError } from '@unikv/core'
import { checkFactoryOptions, kindOf, type OptionNames } from '@unikv/core/adapter'
import type { Action } from './log/action.ts'
import { withinTime } from './run/within-time.ts'

/** The one who says yes: the owner, this policy in the owner's place, or a function of the program. */
export type Approve = 'ask' | ApprovalPolicy | ((proposal: Action) => boolean | PromiseLike<boolean>)

/** Actions that need no question. All others wait for the owner. */
export interface ApprovalPolicy {
  /** Names of tactics, such as `add-index`. */
  readonly tactics: readonly string[]
  /** Names of stores. */
  readonly stores: readonly string[]
  /** In UTC: `{ from: '22:00', to: '05:00' }`. @default at any hour */
  readonly hours?: { readonly from: string; readonly to: string } | undefined
  /** Most actions in 24 hours. */
  readonly mostPerDay: number
}

const names: OptionNames<ApprovalPolicy> = { tactics: true, stores: true, hours: true, mostPerDay: true }
const dayMs = 86_400_000
/** A function has so long to answer. */
const answerMs = 10_000

/**
 * Check who says yes.
 *
 * @param known names of the tactics and of the stores
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkApprove(
  approve: unknown,
  known: { readonly tactics: readonly string[]; readonly stores: readonly string[] },
): void {
  if (approve === 'ask' || typeof approve === 'function') return
  if (typeof approve !== 'object' || approve === null)
    throw wrong(
      `must be 'ask', a policy or a function, got ${typeof approve === 'string' ? `'${approve}'` : kindOf(approve)}`,
    )
  checkFactoryOptions('approve', approve, names)
  const { hours, mostPerDay } = approve as ApprovalPolicy
  for (const list of ['tactics', 'stores'] as const) {
    const given: unknown = (approve as ApprovalPolicy)[list]
    if (!Array.isArray(given) || given.length === 0) throw wrong(`needs \`${list}\`: a list of names`)
    const unknown = given.find((name) => !known[list].includes(name))
    if (unknown !== undefined)
      throw wrong(`names '${unknown}', but the ${list} are ${known[list].join(', ')}`)
  }
  if (!Number.isInteger(mostPerDay) || mostPerDay < 1)
    throw wrong('needs `mostPerDay`: a whole number of at least 1')
  if (hours !== undefined && ![hours?.from, hours?.to].every((time) => minutesIn(time) !== undefined))
    throw wrong("takes `hours` as { from: '22:00', to: '05:00' }, in UTC")
  if (hours !== undefined && hours.from === hours.to)
    throw wrong('has `hours` that end when they begin. Leave them out for all hours')
}

/**
 * Whether a proposal needs no owner. A function without an answer within ten seconds leaves it to the owner.
 *
 * @param signal aborts when the tuner is closed: then the answer means *no*
 */
export async function approved(
  approve: Approve,
  proposal: Action,
  past: readonly Action[],
  now: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (approve === 'ask') return false
  if (typeof approve === 'function')
    return (await withinTime(async () => approve(proposal), answerMs, signal)) === true
  const done = past.filter(({ steps }) =>
    steps.some(({ state, at }) => state === 'approved' && at > now - dayMs),
  )
  return (
    approve.tactics.includes(proposal.tactic) &&
    approve.stores.includes(proposal.store) &&
    done.length < approve.mostPerDay &&
    isWithin(approve.hours, now)
  )
}

function isWithin(hours: ApprovalPolicy['hours'], now: number): boolean {
  if (hours === undefined) return true
  const [from, to] = [minutesIn(hours.from) as number, minutesIn(hours.to) as number]
  const minutes = Math.floor((now % dayMs) / 60_000)
  return from <= to ? minutes >= from && minutes < to : minutes >= from || minutes < to
}

function minutesIn(time: unknown): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(String(time)) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

function wrong(what: string): StoreError {
  return new StoreError('INVALID_CONFIG', `\`approve\` of tuner() ${what}.`)
}
