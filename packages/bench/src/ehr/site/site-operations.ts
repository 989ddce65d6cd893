import { randomUUID } from 'node:crypto'
import { type Bytes, type KeyValue, keyValue, type Supporting } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import { invalidArgument } from '../../options/invalid.ts'
import type { OwnContext, OwnOperation, OwnPlace } from '../../own/define-workload.ts'
import type { Random } from '../../random/random.ts'
import { fill } from '../fill.ts'
import { bytesOf, dataIn, histories } from '../histories.ts'
import { moved, type Patient } from '../patient.ts'
import { Site } from './site.ts'

type Kv = KeyValue<string, Bytes>

/** A site whose store is the one under test. */
export interface SitePlan {
  /** URL of the central store. */
  readonly central: string
  /** Patients of a day. */
  readonly appointments: number
  /** Observations of a patient that the site keeps. */
  readonly most: number
}

/** The day at a site, for all callers of a run. */
export interface Day {
  /** Keys of the patients of the day. */
  patients: readonly string[]
  /** Keys of patients with changes that no flush has taken yet. */
  changed: Set<string>
  /** That of the center in the central store. */
  readonly namespace: string
  readonly central: Center['kv']
  siteOf(kv: Kv): Site
}

/** Where the center is, and the patients of the day: for all threads, and the next run. */
type Setting = Pick<Day, 'namespace' | 'patients'>

/** The key of `Setting`. */
const settingKey = 'site'

/** A site and its center, as runs begin and end with them. */
export class SitePlaces {
  readonly #plan: SitePlan
  readonly #centers = new Map<string, Promise<Center>>()
  readonly #days = new WeakMap<Kv, Promise<Day>>()

  constructor(plan: SitePlan) {
    this.#plan = plan
  }

  /** Fill the center, and load the patients of the first day. */
  async prepare(place: OwnPlace, filling: Parameters<typeof fill>[2]): Promise<void> {
    const { kv, keyOf, records, firstRecord } = place
    const { appointments, most } = this.#plan
    const namespace = `site-${randomUUID()}`
    const patients = Array.from({ length: Math.min(appointments, records) }, (_, i) => keyOf(firstRecord + i))
    const { kv: central } = await this.#center(namespace)
    const site = new Site({ local: localOf(kv), central, most })
    await kv.set(settingKey, bytesOf({ namespace, patients } satisfies Setting))
    await fill(histories(central, most), place, filling)
    await site.load(patients)
  }

  /** The day of a run. It begins with the changes that an earlier one left behind. */
  day(kv: Kv): Promise<Day> {
    const found = this.#days.get(kv) ?? this.#begin(kv)
    this.#days.set(kv, found)
    return found
  }

  /** Remove the records of the center, and close it. */
  async remove(kv: Kv): Promise<void> {
    const value = await kv.get(settingKey)
    if (value === undefined) return
    const { namespace } = dataIn<Setting>(value)
    const center = await this.#center(namespace)
    await center.kv.clear({ all: true })
    this.#centers.delete(namespace)
    await center.all.close()
  }

  async #begin(kv: Kv): Promise<Day> {
    const value = await kv.get(settingKey)
    if (value === undefined) throw invalidArgument('The site of ehr() is not there: it was not set up.')
    const { namespace, patients } = dataIn<Setting>(value)
    const { kv: central } = await this.#center(namespace)
    const sites = new WeakMap<Kv, Site>()
    const siteOf = (of: Kv): Site => {
      const site = sites.get(of) ?? new Site({ local: localOf(of), central, most: this.#plan.most })
      sites.set(of, site)
      return site
    }
    return { patients, changed: new Set(await siteOf(kv).pending()), namespace, central, siteOf }
  }

  #center(namespace: string): Promise<Center> {
    const found = this.#centers.get(namespace) ?? opened(this.#plan.central, namespace)
    this.#centers.set(namespace, found)
    return found
  }
}

/** A central store, and the namespace of a run in it. */
interface Center {
  readonly all: KeyValue<string, Bytes>
  readonly kv: KeyValue<string, Bytes, Supporting<'scan' | 'conditionalWrite'>>
}

/** @throws {StoreError} `UNSUPPORTED` for a store that does not list its keys, or has no conditional writes */
async function opened(url: string, namespace: string): Promise<Center> {
  const { open } = await import('@unikv/stores/lazy')
  const options = /[?&]dataset=/.test(url) ? {} : { dataset: 'unikv_ehr_center' }
  const all = keyValue(await open(url, { ...options, needs: ['scan', 'conditionalWrite'] }))
  return { all, kv: all.namespace(namespace) }
}

/** Apart from the records that every workload loads. */
function localOf(kv: Kv): Kv {
  return kv.namespace('site')
}

/** A caller whose patients are those of a day. */
interface SiteCaller {
  readonly random: Random
  readonly day: Day
}

/** One of the patients of the day. */
export function patientOf({ random }: Pick<OwnContext, 'random'>, { patients }: Day): string {
  return patients[Math.floor(random() * patients.length)] as string
}

/** Operations beyond those on any store of patients; each caller has a day. */
export function siteOperations({
  appointments,
}: SitePlan): Record<'load' | 'flush' | 'move' | 'elsewhere', Operation> {
  return {
    load: atSite(async ({ kv, draw, keyOf }, { day }) => {
      const patients = [...new Set(Array.from({ length: appointments }, () => keyOf(draw())))]
      await day.siteOf(kv).load(patients)
      const { namespace } = day
      await kv.set(settingKey, bytesOf({ namespace, patients } satisfies Setting))
      day.patients = patients
    }),
    flush: atSite(async ({ kv, miss, conflict }, { day }) => {
      const { changed } = day
      if (changed.size === 0) return miss
      day.changed = new Set()
      try {
        const { conflicts } = await day.siteOf(kv).flush([...changed])
        return conflicts.length === 0 ? undefined : conflict
      } catch (error) {
        for (const patient of changed) day.changed.add(patient)
        throw error
      }
    }),
    move: atSite(async (context, { day, random }) => {
      const patient = patientOf(context, day)
      const change = (before: Patient): Patient => moved(random, before, wallClock())
      if (!(await day.siteOf(context.kv).change(patient, change))) return context.miss
      return void day.changed.add(patient)
    }),
    elsewhere: atSite((context, { day, random }) =>
      day.central.update(
        patientOf(context, day),
        (value) => value && bytesOf(moved(random, dataIn(value), wallClock())),
      ),
    ),
  }
}

type Operation = OwnOperation<{ readonly random: Random; readonly day: Day | undefined }>

function atSite(run: OwnOperation<SiteCaller>['run']): Operation {
  return { weight: 0, run: (context, { random, day }) => run(context, { random, day: day as Day }) }
}
