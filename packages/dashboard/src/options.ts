import { checkFactoryOptions, invalidConfig, kindOf, type OptionNames } from '@unikv/core/adapter'
import type { HttpOptions } from '@unikv/http'
import type { AnyManager, DecoderConfiguration } from '@unikv/manager'
import type { KeptHistory } from '@unikv/monitor/recorder'
import type { Tuner } from '@unikv/tuner'
import type { Reports } from './reports.ts'

/** The part of a manager that is shown. */
export type ShownManager = Pick<AnyManager, 'stores' | 'monitor' | 'recorder'> &
  Partial<Pick<AnyManager, 'configuration'>>

/** Settings of a dashboard: those that protect it are as of `http()`. */
export interface DashboardOptions
  extends Pick<
    HttpOptions,
    'tokens' | 'authorize' | 'unprotected' | 'hosts' | 'requestsPerSecond' | 'basePath' | 'onError'
  > {
  /** Let callers with the right `write` change records. @default false */
  readonly writable?: boolean | undefined
  /** Show values, and keys. Without it the page has figures alone. @default true */
  readonly data?: boolean | undefined
  /** Figures that other processes keep, for the past: `openHistory(config)`. @default those that the manager keeps */
  readonly history?: (Pick<KeptHistory, 'history'> & Partial<Pick<KeptHistory, 'live'>>) | undefined
  /** Results of benchmarks, for a view of them. @default none */
  readonly reports?: Reports | undefined
  /** Shows what it proposes. Callers with the right `admin` may answer, also where nothing else is `writable`. */
  readonly tuner?: AnswerableTuner | undefined
  /** How values are decoded that no layer decodes, before those of the configuration; the first that fits a key is used. @default the first bytes decide */
  readonly decoders?: readonly DecoderConfiguration[] | undefined
  /** Told of each look at a value that is stored encrypted: who, which store, which key. @default kept in memory */
  readonly onLook?: ((look: Look) => void) | undefined
}

/** The parts of a tuner that the page needs: a running one has them, and so has its log. */
export type AnswerableTuner = Pick<Tuner, 'actions' | 'approve' | 'reject'>

/** A look at a value that is stored encrypted. */
export interface Look {
  /** Wall clock, in milliseconds since 1970. */
  readonly at: number
  /** Name of the access of the caller. */
  readonly caller: string
  readonly store: string
  readonly key: string
}

const optionNames: OptionNames<DashboardOptions> = {
  tokens: true,
  authorize: true,
  unprotected: true,
  hosts: true,
  requestsPerSecond: true,
  basePath: true,
  onError: true,
  writable: true,
  data: true,
  history: true,
  reports: true,
  tuner: true,
  decoders: true,
  onLook: true,
}

/** @throws {StoreError} `INVALID_CONFIG` */
export function checkDashboard(manager: ShownManager, options: DashboardOptions): void {
  if (typeof Object(manager).stores !== 'object')
    throw invalidConfig(`dashboard() takes what openStores() returns, got ${kindOf(manager)}.`)
  checkFactoryOptions('dashboard', options, optionNames)
}
