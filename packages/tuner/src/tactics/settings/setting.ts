import type { Json } from '@unikv/core'
import type { LayerConfiguration, StoreConfiguration } from '@unikv/manager'
import type { Change, Facts, Tactic } from '../../tactic.ts'

/** A change of a store's configuration: options of a layer, or a parameter of its URL. `before` and `after`: `null` is none. */
export type Setting =
  | {
      readonly layer: string
      /** Where a layer is put that was not there. */
      readonly at: 'outermost' | 'innermost'
      readonly before: Json
      readonly after: Json
    }
  | { readonly parameter: string; readonly before: string | null; readonly after: string | null }

/** Options of a layer. */
export type LayerOptions = { readonly [name: string]: Json }

/** Reloading takes this long at most. */
const limitMs = 60_000
/** A store that was exchanged takes calls for so long. */
const lingerMs = 1000

/** A tactic that changes the configuration of a store in each process, by `reload` of its manager. */
export function settingTactic(
  given: Pick<Tactic<undefined>, 'name' | 'knowledge'> & {
    readonly applies: (facts: Facts<undefined>) => ReturnType<Tactic['applies']>
  },
): Tactic<undefined> {
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
    ...given,
    canSwitch: true,
    where: 'process',
    limitMs,
    applies: (facts) => {
      const refused = whyNot(facts.configuration)
      return given.applies(facts).map((one) => {
        const place = placeIn(one.change as unknown as Setting)
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
  return 'layer' in setting ? `layer ${setting.layer}` : `parameter ${setting.parameter}`
}

/** Options of a layer of a configuration; `undefined`: it has no such layer, `null`: the program made it itself. */
export function layerIn({ layers = [] }: StoreConfiguration, name: string): LayerOptions | null | undefined {
  const found = layers.find((layer) => nameOf(layer) === name)
  if (found === undefined) return undefined
  if (typeof found === 'string') return {}
  return isMade(found) ? null : ((found as { readonly [layer: string]: LayerOptions })[name] ?? {})
}

/** A parameter of the URL of a store; `undefined`: it has no URL, or names none. */
export function parameterIn({ url }: StoreConfiguration, name: string): string | undefined {
  const query = url === undefined ? undefined : /\?(.*)$/s.exec(url)?.[1]
  return new URLSearchParams(query ?? '').get(name) ?? undefined
}

/** Why a store cannot be reloaded, as the manager would refuse it. */
function whyNot({ store, url, layers = [] }: StoreConfiguration): string | undefined {
  if (store !== undefined)
    return 'The program made this store itself, so a reload would close it. Name it by URL in the configuration.'
  if (/^memory:/i.test(url ?? ''))
    return 'The records of this store are in this process, and a reload would lose them.'
  if (layers.some((layer) => nameOf(layer) === 'writeBehind'))
    return 'Writes of this store may wait in a queue, which a reload could overtake.'
  return undefined
}

function isSet(store: StoreConfiguration, setting: Setting, isBack: boolean): boolean {
  const wanted = isBack ? setting.before : setting.after
  const present =
    'layer' in setting
      ? (layerIn(store, setting.layer) ?? null)
      : (parameterIn(store, setting.parameter) ?? null)
  return JSON.stringify(present) === JSON.stringify(wanted)
}

function withSetting(store: StoreConfiguration, setting: Setting, isBack: boolean): StoreConfiguration {
  const wanted = isBack ? setting.before : setting.after
  if ('parameter' in setting)
    return { ...store, url: withParameter(store.url ?? '', setting.parameter, wanted as string | null) }
  const { layer, at } = setting
  const layers = store.layers ?? []
  const place = layers.findIndex((one) => nameOf(one) === layer)
  const next = wanted === null ? [] : [{ [layer]: wanted } as LayerConfiguration]
  if (place >= 0)
    return { ...store, layers: [...layers.slice(0, place), ...next, ...layers.slice(place + 1)] }
  return { ...store, layers: at === 'outermost' ? [...next, ...layers] : [...layers, ...next] }
}

/** The same URL with another value of a parameter; nothing else of it changes. */
function withParameter(url: string, name: string, value: string | null): string {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const others = query
    .split('&')
    .filter((one) => one !== '' && decodeURIComponent(one.split('=')[0] ?? '') !== name)
  const all = value === null ? others : [...others, `${name}=${encodeURIComponent(value)}`]
  return all.length === 0 ? path : `${path}?${all.join('&')}`
}

function nameOf(layer: LayerConfiguration): string {
  if (typeof layer === 'string') return layer
  return isMade(layer) ? layer.name : (Object.keys(layer)[0] ?? '')
}

function isMade(layer: object): layer is { readonly name: string; readonly plan: unknown } {
  return 'plan' in layer
}
