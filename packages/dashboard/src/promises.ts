import { isDeepStrictEqual } from 'node:util'
import { isStoreError } from '@unikv/core'
import {
  type Access,
  type Asked,
  demandRight,
  type Guard,
  jsonAnswer,
  jsonIn,
  Refused,
  seesStore,
} from '@unikv/http/parts'
import { addFrames, type Figures, type Frame, summarised } from '@unikv/monitor'
import { checkPolicies, type Policy, violationOf } from '@unikv/monitor/recorder'
import type { Hono } from 'hono'
import type { DashboardOptions, ShownManager } from './options.ts'

/** Promises about stores, and whether they are kept. */
export interface PromisesView {
  readonly promises: readonly PromiseView[]
  /** How many processes the figures are of; `undefined`: of this one alone. */
  readonly processes: number | undefined
  /** Names of stores about which something can be promised. */
  readonly stores: readonly string[]
  /** Whether these are all promises of the configuration: some may be about stores that the caller does not see. */
  readonly isWhole: boolean
}

/** One promise now. */
export interface PromiseView {
  readonly policy: Policy
  /** `few calls`: too few to say. */
  readonly state: 'kept' | 'broken' | 'few calls'
  readonly calls: number
  /** The figure now, in the unit of its limit. */
  readonly found: number | undefined
  /** When it was first broken, if this process judges it. */
  readonly sinceAt: number | undefined
}

interface Parts {
  readonly manager: ShownManager
  readonly history: DashboardOptions['history']
  readonly guard: Guard
  readonly limits: Asked['limits']
}

/** Promises, and a check of new ones. Nothing is written: the answer is text for the configuration. */
export function promiseRoutes(app: Hono, parts: Parts): void {
  const { guard, limits, manager } = parts
  app.get('/api/promises', async ({ req }) => {
    const access = await guard.enter(req.raw)
    demandRight(access, 'read')
    return jsonAnswer(await viewOf(parts, access))
  })
  app.post('/api/promises/check', async ({ req }) => {
    const access = await guard.enter(req.raw)
    demandRight(access, 'read')
    const { policies } = await jsonIn({ request: req.raw, limits })
    return jsonAnswer({ text: JSON.stringify(checked(policies, countedStores(manager, access)), null, 2) })
  })
}

async function viewOf(parts: Parts, access: Access): Promise<PromisesView> {
  const { manager } = parts
  const policies = manager.configuration?.monitor?.policies ?? []
  const seen = policies.filter(({ store }) => seesStore(access, store))
  const { frameOf, processes } = await framesOf(parts)
  const violations = manager.recorder?.violations() ?? []
  const sinceOf = (policy: Policy): number | undefined =>
    violations.find((one) => isDeepStrictEqual({ ...one.policy }, { ...policy }))?.sinceAt
  return {
    promises: seen.map((policy) => {
      const figures = frameOf(policy)[policy.store]?.[policy.operation]
      const judged = judge(policy, figures)
      return { ...judged, sinceAt: judged.state === 'broken' ? sinceOf(policy) : undefined }
    }),
    processes,
    stores: countedStores(manager, access),
    isWhole: seen.length === policies.length,
  }
}

/** The work by which promises are judged: of all processes where it is kept, else of this one. */
async function framesOf({ manager: { recorder }, history }: Parts): Promise<{
  readonly frameOf: (policy: Policy) => Frame
  readonly processes: number | undefined
}> {
  if (history?.live !== undefined) {
    const all = await history.live({ onUnreadable: () => {} })
    const frame = addFrames(all.map((one) => one.frame))
    return { frameOf: () => frame, processes: all.length }
  }
  return { frameOf: ({ over = '30s' }) => recorder?.window(over).frame ?? {}, processes: undefined }
}

/** Limits that nothing keeps: they make `violationOf` tell the figure. */
const never = { belowMs: 0, maxErrorShare: -1, minHitRate: 2 } as const

function judge(policy: Policy, figures: Figures | undefined): Omit<PromiseView, 'sinceAt'> {
  const calls = figures === undefined ? 0 : summarised(figures).calls
  if (figures === undefined || calls < (policy.minCalls ?? 20))
    return { policy, state: 'few calls', calls, found: undefined }
  const limit = (['belowMs', 'maxErrorShare', 'minHitRate'] as const).find(
    (name) => policy[name] !== undefined,
  )
  const found = limit && violationOf({ ...policy, [limit]: never[limit] }, figures, 0)?.found
  return { policy, state: violationOf(policy, figures, 0) === undefined ? 'kept' : 'broken', calls, found }
}

/** Stores whose calls the monitor counts. */
function countedStores({ configuration }: ShownManager, access: Access): readonly string[] {
  const { stores = {}, monitor } = configuration ?? {}
  return Object.keys(stores).filter(
    (name) => seesStore(access, name) && name !== monitor?.keepIn && stores[name]?.monitored !== false,
  )
}

/** @throws {Refused} for policies that `openStores` would refuse */
function checked(policies: unknown, stores: readonly string[]): readonly Policy[] {
  try {
    const made = checkPolicies(policies as readonly Policy[])
    // Native calls have names of their own.
    const unknown = made.find(({ store, operation }) => operation !== 'native' && !stores.includes(store))
    if (unknown === undefined) return made
    throw badPolicy(`No calls of a store '${unknown.store}' are counted here, but of: ${stores.join(', ')}.`)
  } catch (error) {
    if (!isStoreError(error)) throw error
    throw badPolicy(error.message.replace(' of recorder()', ''))
  }
}

function badPolicy(message: string): Refused {
  return new Refused(400, 'BAD_REQUEST', message)
}
