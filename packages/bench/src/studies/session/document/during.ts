import { isPlainObject } from '@unikv/core/platform'
import type { JobEvent, JobMonitor } from '../config.ts'
import { type Place, wrongIn } from './place.ts'
import { eventSchema, monitorSchema } from './schema.ts'
import { shaped } from './shaped.ts'

/** The events of a job: a list, or an element `event` for each. */
export function eventsIn(given: unknown, place: Place): readonly JobEvent[] {
  return listIn(given, 'event', place).map((one, index) => {
    const { at, command } = shaped(eventSchema, one, `events.${index}`, place)
    return { atMs: at, command }
  })
}

/** The monitors of a job: a list, or an element `monitor` for each. */
export function monitorsIn(given: unknown, place: Place): readonly JobMonitor[] {
  const names = new Set<string>()
  return listIn(given, 'monitor', place).map((one, index) => {
    const { name, command, every = 1_000 } = shaped(monitorSchema, one, `monitors.${index}`, place)
    if (names.has(name))
      throw wrongIn(place, `monitors.${index}.name`, `there are two monitors with the name '${name}'`)
    names.add(name)
    return { name, command, everyMs: every }
  })
}

/** One element is as good as a list of one. */
function listIn(given: unknown, element: string, place: Place): readonly unknown[] {
  if (given === undefined || given === null) return []
  if (Array.isArray(given)) return given
  const right = `a list, or an element ${element} for each`
  if (!isPlainObject(given)) throw wrongIn(place, `${element}s`, `it must be ${right}`)
  const other = Object.keys(given as object).find((name) => name !== element)
  if (other !== undefined)
    throw wrongIn(place, `${element}s.${other}`, `it is unknown: there must be ${right}`)
  const inside = (given as Readonly<Record<string, unknown>>)[element] ?? []
  return Array.isArray(inside) ? inside : [inside]
}
