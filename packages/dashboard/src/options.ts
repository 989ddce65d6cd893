import {
  any,
  checkFactoryOptions,
  flag,
  func,
  invalidConfig,
  kindOf,
  type OptionNames,
  type OptionsOf,
  settingsBy,
} from '@unikv/core/adapter'
import type { HttpOptions } from '@unikv/http'
import type { AnyManager, DecoderConfiguration } from '@unikv/manager'
import type { KeptHistory } from '@unikv/monitor/recorder'
import type { Tuner } from '@unikv/tuner'
import type { Reports } from './reports.ts'

/** The part of a manager that is shown. */
export type ShownManager = Pick<AnyManager, 'stores' | 'monitor' | 'recorder'> &
  Partial<Pick<AnyManager, 'configuration'>>

const table = {
  /** Let callers with the right `write` change records. @default false */
  writable: flag(false),
  /** Show values, and keys. Without it the page has figures alone. @default true */
  data: flag(true),
  /** Figures that other processes keep, for the past: `openHistory(config)`. @default those that the manager keeps */
  history: any<Pick<KeptHistory, 'history'> & Partial<Pick<KeptHistory, 'live'>>>(),
  /** Results of benchmarks, for a view of them. @default none */
  reports: any<Reports>(),
  /** Shows what it proposes. Callers with the right `admin` may answer, also where nothing else is `writable`. */
  tuner: any<AnswerableTuner>(),
  /** How values are decoded that no layer decodes, before those of the configuration; the first that fits a key is used. @default the first bytes decide */
  decoders: any<readonly DecoderConfiguration[]>(),
  /** Told of each look at a value that is stored encrypted: who, which store, which key. @default kept in memory */
  onLook: func<(look: Look) => void>(),
}

type OfHttp = 'tokens' | 'authorize' | 'unprotected' | 'hosts' | 'requestsPerSecond' | 'basePath' | 'onError'

/** Settings of a dashboard: those that protect it are as of `http()`. */
export interface DashboardOptions extends Pick<HttpOptions, OfHttp>, OptionsOf<typeof table> {}

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

const ofHttp: OptionNames<Pick<HttpOptions, OfHttp>> = {
  tokens: true,
  authorize: true,
  unprotected: true,
  hosts: true,
  requestsPerSecond: true,
  basePath: true,
  onError: true,
}

/**
 * The settings of a dashboard, and those of its door.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(manager: ShownManager, options: DashboardOptions) {
  if (typeof Object(manager).stores !== 'object')
    throw invalidConfig(`dashboard() takes what openStores() returns, got ${kindOf(manager)}.`)
  checkFactoryOptions('dashboard', options, { ...table, ...ofHttp })
  return { ...options, ...settingsBy('dashboard', table, options) }
}
