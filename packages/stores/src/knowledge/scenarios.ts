import { StoreError } from '@unikv/core'
import type { Requirements } from './screen.ts'
import { instead } from './wording.ts'

/** A quality-attribute scenario for any application: an evaluation takes it by `extends`, and changes what it likes. */
export interface GeneralScenario {
  readonly stimulus: string
  readonly environment: string
  readonly response: string
  /** The goal, such as `p95 < 50ms`, for all operations of the load. */
  readonly measure: string
  readonly callers: number
  /** The facts that it rests on: a store that lacks one for certain is out before it is measured. */
  readonly requires: Requirements
}

/** The general scenarios by name. */
export const generalScenarios: Readonly<Record<string, GeneralScenario>> = {
  'low-latency-read': {
    stimulus: 'A user opens what was stored before',
    environment: '100 users at the same time',
    response: 'it is shown; copies can share the reads as users become more',
    measure: 'p95 < 50ms',
    callers: 100,
    requires: { replication: true },
  },
  'safe-write': {
    stimulus: 'A user saves a change',
    environment: '100 users at the same time',
    response: 'it is acknowledged, and a node may fail afterwards',
    measure: 'p95 < 200ms',
    callers: 100,
    requires: { replication: true, automaticFailover: true },
  },
  'fresh-read': {
    stimulus: 'A user asks for what another one has just changed',
    environment: '100 users at the same time, at several sites',
    response: 'the change is among what is shown',
    measure: 'stale < 0.1%',
    callers: 100,
    requires: { replication: true, consistency: 'strong' },
  },
  growth: {
    stimulus: 'The data outgrows the largest machine',
    environment: '200 callers while nodes are added',
    response: 'more nodes hold more records and take more writes, without a stop',
    measure: 'rate > 1000',
    callers: 200,
    requires: { sharding: 'automatic', onlineScaling: 'writes' },
  },
  'every-site-writes': {
    stimulus: 'Users of several sites change data at the same time',
    environment: '100 users, and a slow line between the sites',
    response: 'each site goes on by itself, and the sites agree later',
    measure: 'p95 < 100ms',
    callers: 100,
    requires: { replication: 'multi-leader', automaticFailover: true },
  },
  'find-by-fields': {
    stimulus: 'A user looks for records by other fields than their key',
    environment: '50 users at the same time',
    response: 'the server finds them by an index',
    measure: 'p95 < 200ms',
    callers: 50,
    requires: { secondaryIndexes: true, queries: 'filter' },
  },
  'all-or-nothing': {
    stimulus: 'A process changes several records that belong together',
    environment: '50 callers at the same time',
    response: 'all of them are changed, or none',
    measure: 'errors <= 0.1%',
    callers: 50,
    requires: { transactions: 'any' },
  },
  'many-clients': {
    stimulus: 'Every user has a connection of their own',
    environment: '1,000 connections from outside of the data center',
    response: 'each is encrypted and proves who it is, and no operation fails',
    measure: 'errors <= 0.1%',
    callers: 1000,
    requires: { tls: true, authentication: true, accessControl: true },
  },
  'long-keeping': {
    stimulus: 'Records are added for decades',
    environment: '10 callers that load records',
    response: 'they take little space, and backups are made meanwhile',
    measure: 'rate > 500',
    callers: 10,
    requires: { compression: true, onlineBackup: true },
  },
}

/**
 * The general scenario of this name.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the nearest name
 */
export function scenarioNamed(name: string): GeneralScenario {
  const found = Object.hasOwn(generalScenarios, name) ? generalScenarios[name] : undefined
  if (found !== undefined) return found
  const hint = instead(name, Object.keys(generalScenarios))
  throw new StoreError('INVALID_ARGUMENT', `there is no general scenario '${name}'. ${hint}`)
}
