import type { Json } from '@unikv/core'
import type { AnyManager, LayerConfiguration, StoreConfiguration } from '@unikv/manager'
import { isMadeLayer, layerNameOf } from '@unikv/manager/layers'
import type { Change, Facts, Tactic, TunedStore } from '../../tactic.ts'
import { builtOn } from '../built-on.ts'

/**
 * A change of a store's configuration: options of a layer, a parameter of its URL, or an option of its own. `before` and `after`:
 * `null` is none.
 */
export type Setting =
  | {
      readonly layer: string
      /** Where a layer is put that was not there. */
      readonly at: 'outermost' | 'innermost' | number
      readonly before: Json
      readonly after: Json
    }
  | { readonly parameter: string; readonly before: string | null; readonly after: string | null }
  | { readonly option: 'readConsistency'; readonly before: string | null; readonly after: string | null }

/** Options of a layer. */
export type LayerOptions = { readonly [name: string]: Json }

/** Reloading takes this long at most. */
const limitMs = 60_000
/** A store that was exchanged takes calls for so long. */
const lingerMs = 1000

/** A tactic that changes the configuration of a store in each process, by `reload` of its manager. */
export function settingTactic(
  given: Pick<Tactic<undefined>, 'name' | 'knowledge'> & {
    /** Why the store cannot have the setting, where its configuration does not tell. */
    readonly refuses?: (at: TunedStore) => string | undefined
    readonly applies: (facts: Facts<undefined>) => ReturnType<Tactic['applies']>
  },
): Tactic<string | undefined> {
  const { refuses, ...own } = given
  const reload = (change: Change, isBack: boolean): Tactic['carryOut'] => {
    return async (_, { manager, name }) => {
      const setting = change as unknown as Setting
      const present = manager.configuration.stores[name]
      if (present === undefined || isSet(present, setting, isBack)) return
      await manager.reload(
        (now) => ({
          ...now,
          stores: { ...now.stores, [name]: withSetting(now.stores[name] ?? present, setting, isBack) },
        }),
        { lingerMs },
      )
    }
  }
  return {
    ...own,
    canSwitch: true,
    where: 'process',
    limitMs,
    look: async (at) => refuses?.(at) ?? whyNoReload(at.name, at.manager.configuration),
    applies: (facts) => {
      const why = typeof facts.found === 'string' ? facts.found : whyNot(facts.configuration)
      return given.applies({ ...facts, found: undefined }).map((one) => {
        const setting = one.change as unknown as Setting
        const place = placeIn(setting)
        const refused = why ?? whyNoCache(setting, facts) ?? (isData(setting.before) ? undefined : withCode)
        return { place, ...(refused === undefined ? {} : { refused }), ...one }
      })
    },
    carryOut: (change, at) => reload(change, false)(change, at),
    undo: (change, at) => reload(change, true)(change, at),
    isDone: async (change, { manager, name }) => {
      const present = manager.configuration.stores[name]
      return present !== undefined && isSet(present, change as unknown as Setting, false)
    },
  }
}

/** The place that a setting changes. */
function placeIn(setting: Setting): string {
  if ('option' in setting) return `option ${setting.option}`
  return 'layer' in setting ? `layer ${setting.layer}` : `parameter ${setting.parameter}`
}

/** Options of a layer of a configuration; `undefined`: it has no such layer, `null`: the program made it itself. */
export function layerIn({ layers = [] }: StoreConfiguration, name: string): LayerOptions | null | undefined {
  const found = layers.find((layer) => layerNameOf(layer) === name)
  if (found === undefined) return undefined
  if (typeof found === 'string') return {}
  return isMadeLayer(found) ? null : ((found as { readonly [layer: string]: LayerOptions })[name] ?? {})
}

/** A parameter of the URL of a store; `undefined`: it has no URL, or names none. */
export function parameterIn({ url }: StoreConfiguration, name: string): string | undefined {
  const query = url === undefined ? undefined : /\?(.*)$/s.exec(url)?.[1]
  return new URLSearchParams(query ?? '').get(name) ?? undefined
}

/** Why a store cannot have the layer of a setting. */
function whyNoCache(
  setting: Setting,
  { store, configuration }: Pick<Facts, 'store' | 'configuration'>,
): string | undefined {
  const { readConsistency } = configuration
  const isCache = 'layer' in setting && ['cache', 'tier'].includes(setting.layer)
  return isCache && readConsistency !== undefined
    ? `Reads of ${store} have the level ${readConsistency}, and no cache answers these.`
    : undefined
}

const withCode = 'The program gave this layer functions, which the log cannot keep.'

/** Whether options can be kept in the log, and be given again from there. */
function isData(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isData)
  return ['string', 'boolean', 'undefined'].includes(typeof value) || value === null
}

/** Why a store, or one that is built on it, cannot be reloaded. */
function whyNoReload(name: string, { stores, monitor }: AnyManager['configuration']): string | undefined {
  const changed = builtOn(name, stores)
  if (monitor?.keepIn !== undefined && changed.includes(monitor.keepIn))
    return `The monitor keeps its figures in ${monitor.keepIn}, which cannot be reloaded while the program runs.`
  return changed.map((one) => whyNot(stores[one] ?? {})).find((why) => why !== undefined)
}

/** Why a store cannot be reloaded, as the manager would refuse it. */
function whyNot({ store, url, layers = [] }: StoreConfiguration): string | undefined {
  if (store !== undefined)
    return 'The program made this store itself, so a reload would close it. Name it by URL in the configuration.'
  if (/^memory:/i.test(url ?? ''))
    return 'The records of this store are in this process, and a reload would lose them.'
  if (layers.some((layer) => layerNameOf(layer) === 'writeBehind'))
    return 'Writes of this store may wait in a queue, which a reload could overtake.'
  return undefined
}

function isSet(store: StoreConfiguration, setting: Setting, isBack: boolean): boolean {
  const wanted = isBack ? setting.before : setting.after
  return JSON.stringify(presentOf(store, setting) ?? null) === JSON.stringify(wanted)
}

function presentOf(store: StoreConfiguration, setting: Setting): Json | undefined {
  if ('option' in setting) return store[setting.option]
  return 'layer' in setting ? layerIn(store, setting.layer) : parameterIn(store, setting.parameter)
}

function withSetting(store: StoreConfiguration, setting: Setting, isBack: boolean): StoreConfiguration {
  const wanted = isBack ? setting.before : setting.after
  if ('option' in setting) {
    const { [setting.option]: _, ...others } = store
    return wanted === null ? others : { ...others, [setting.option]: wanted as string }
  }
  if ('parameter' in setting)
    return { ...store, url: withParameter(store.url ?? '', setting.parameter, wanted as string | null) }
  const { layer, at } = setting
  const layers = store.layers ?? []
  const place = layers.findIndex((one) => layerNameOf(one) === layer)
  const next = wanted === null ? [] : [{ [layer]: wanted } as LayerConfiguration]
  if (place >= 0)
    return { ...store, layers: [...layers.slice(0, place), ...next, ...layers.slice(place + 1)] }
  const position = at === 'outermost' ? 0 : at === 'innermost' ? layers.length : at
  return { ...store, layers: layers.toSpliced(position, 0, ...next) }
}

/** The same URL with another value of a parameter; nothing else of it changes. */
function withParameter(url: string, name: string, value: string | null): string {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const parts = query.split('&').filter((one) => one !== '')
  const isIt = (one: string): boolean => new URLSearchParams(one).has(name)
  const place = parts.findIndex(isIt)
  const others = parts.filter((one) => !isIt(one))
  const next = value === null ? [] : [`${name}=${encodeURIComponent(value)}`]
  const all = others.toSpliced(place < 0 ? others.length : place, 0, ...next)
  return all.length === 0 ? path : `${path}?${all.join('&')}`
}
