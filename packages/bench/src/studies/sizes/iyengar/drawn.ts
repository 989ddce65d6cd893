import type { Place } from '../../../cube/cell.ts'
import type { PlotView, View } from '../../../cube/view.ts'
import { distanceOf } from '../../../relay/distant.ts'
import { listed } from '../../../report/words.ts'
import type { PresetSubject } from '../../../study/study.ts'
import type { SizesConfig } from '../config.ts'
import { type PaperFigure, paperFigures, roles } from './figures.ts'

/** A run that was measured, or is about to be. */
type Subject = PresetSubject<SizesConfig>

/** The stores of the paper, and the names of those that stand for them. */
function castOf({ config, stores }: Subject): ReadonlyMap<string, string> {
  const cast = new Map<string, string>()
  // On a page of several results the name of its result follows that of a store.
  const isDistant = ({ name }: Subject['stores'][number]): boolean =>
    distanceOf(config, name.replace(/ .*/s, '')) !== undefined
  for (const { name, adapters, isFar } of roles) {
    const free = stores.filter((store) => ![...cast.values()].includes(store.name))
    const far = free.filter(isDistant)
    const alike = adapters.flatMap((adapter) => free.filter((store) => store.adapter === adapter))
    const [found] = isFar ? [...far, ...alike] : alike.filter((store) => !far.includes(store))
    if (found !== undefined) cast.set(name, found.name)
  }
  return cast
}

/** The same in words. */
export function castText(subject: Subject): string {
  const cast = [...castOf(subject)].map(([name, store]) => `${store} stands for ${name}`)
  return [`${subject.config.preset}: Fig. 9 to 21 of the paper`, ...cast].join('; ')
}

const cacheNeeds = {
  'in-process': 'There is no cache in this process. Add --cache memory.',
  remote: 'There is no remote cache. Add one such as --cache redis://HOST.',
} as const

/** Where a figure stands in a run; a text: why it cannot be drawn. */
function placeOf(
  { of }: PaperFigure,
  { config, caches }: Subject,
  cast: ReadonlyMap<string, string>,
): Place | string {
  if ('operation' in of) return { mode: 'sequential', operation: of.operation }
  if ('codec' in of)
    return config[of.codec].length > 0 ? { codec: of.codec } : `There is no ${of.codec}. Add --${of.codec}.`
  const store = cast.get(of.role.name)
  if (store === undefined) return `No store stands for ${of.role.name}. ${of.role.need}`
  const cache = caches.find(({ kind }) => kind === of.cache)
  return cache === undefined ? cacheNeeds[of.cache] : { store, cache: cache.name }
}

/** The figure of the paper at a place of a result; `undefined`: there is none, or it was not asked for. */
function figureAt(subject: Subject, place: Place): PaperFigure | undefined {
  if (subject.config.preset === null) return undefined
  const cast = castOf(subject)
  return paperFigures.find((figure) => {
    const own = placeOf(figure, subject, cast)
    return typeof own === 'object' && Object.entries(own).every(([name, value]) => place[name] === value)
  })
}

/**
 * A table whose titles begin with the numbers of the figures at their places.
 *
 * @param more of each place
 */
export function numbered(subject: Subject, view: View, more: Place = {}): View {
  const { title } = view
  return { ...view, title: (place) => before(figureAt(subject, { ...place, ...more })) + title(place) }
}

/** The same of a plot; the figure names its files, and what the paper found follows the note. */
export function numberedPlot(subject: Subject, view: PlotView, more: Place = {}): PlotView {
  const { id, title, caption = title, note } = view
  const at = (place: Place): PaperFigure | undefined => figureAt(subject, { ...place, ...more })
  return {
    ...view,
    id: (place) => fileOf(at(place)) ?? id(place),
    caption: (place) => before(at(place)) + caption(place),
    note: (place) => (typeof note === 'string' ? note : note(place)) + foundIn(at(place)),
  }
}

function before(figure: PaperFigure | undefined): string {
  return figure === undefined ? '' : `Fig. ${figure.number}: `
}

function fileOf(figure: PaperFigure | undefined): string | undefined {
  return figure === undefined ? undefined : `figure-${figure.number}`
}

/** Whether files of this name are of a figure of the paper. */
export function isPaperFile(name: string): boolean {
  return paperFigures.some((figure) => fileOf(figure) === name)
}

function foundIn(figure: PaperFigure | undefined): string {
  if (figure === undefined) return ''
  const { of, found } = figure
  return ` In the paper${'role' in of ? `, of ${of.role.name}` : ''}: ${found}.`
}

/** Sentences about the figures that a run does not draw. */
export function notDrawn(subject: Subject): readonly string[] {
  if (subject.config.preset === null) return []
  const cast = castOf(subject)
  const numbers = new Map<string, number[]>()
  for (const figure of paperFigures) {
    const why = placeOf(figure, subject, cast)
    if (typeof why === 'string') numbers.set(why, [...(numbers.get(why) ?? []), figure.number])
  }
  return [...numbers].map(([why, its]) => `Not drawn: Fig. ${listed(its.map(String))} of the paper. ${why}`)
}

/** Names of stores and caches in the order of the figures. Others follow. */
export function inOrder(subject: Subject): {
  readonly stores: readonly string[]
  readonly caches: readonly string[]
} {
  const stores = [...castOf(subject).values(), ...subject.stores.map(({ name }) => name)]
  const caches = (['in-process', 'remote'] as const).flatMap((its) =>
    subject.caches.flatMap(({ name, kind }) => (kind === its ? [name] : [])),
  )
  return { stores: [...new Set(stores)], caches }
}
