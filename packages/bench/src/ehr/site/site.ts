import { type Bytes, isStoreError, type KeyValue, StoreError, type Supporting, supports } from '@unikv/core'
import type { Charts, Histories, History } from '../fill.ts'
import { bytesOf, dataIn, histories, newest, withOne } from '../histories.ts'
import type { Observation } from '../observation.ts'
import type { Patient } from '../patient.ts'

/** The two stores of a site. */
export interface SiteStores {
  readonly local: KeyValue<string, Bytes>
  /** Where all patients are, as `histories` keeps them. */
  readonly central: KeyValue<string, Bytes, Supporting<'conditionalWrite'>>
  /** Observations of a patient that the site keeps besides those that were not flushed. */
  readonly most: number
}

/** The end of a flush. */
export interface Flushed {
  /** Observations that the center has now. */
  readonly sent: number
  /**
   * Patients who were changed both at the site and in the center. Each store keeps its own, and the next flush tells it again. Delete
   * the record of the site to take that of the center.
   */
  readonly conflicts: readonly string[]
}

/** A patient at a site: one record, so that a change and its mark for the flush are written at once. */
interface Kept extends History {
  /** Observations that the center may lack. */
  readonly unsent: readonly Observation[]
  /** The patient as the center had it before the first change that it may lack; `null`: there is none. */
  readonly base: Patient | null
}

/** Changes of a record by others that are met before one gives up. */
const mostAttempts = 16
/** Patients that are loaded or flushed at the same time. */
const atOnce = 16

/** Patients in a site's own store, loaded from a central one and flushed back to it. */
export class Site implements Charts {
  readonly #local: KeyValue<string, Bytes, Supporting<'conditionalWrite' | 'scan'>>
  readonly #central: KeyValue<string, Bytes, Supporting<'conditionalWrite'>>
  readonly #center: Histories
  readonly #most: number

  /** @throws {StoreError} `UNSUPPORTED` for a store that does not list its keys, or has no conditional writes */
  constructor({ local, central, most }: SiteStores) {
    if (!supports(local, 'conditionalWrite') || !supports(local, 'scan')) throw lacking(local)
    this.#local = local
    this.#central = central
    this.#center = histories(central, most)
    this.#most = most
  }

  /** Load patients; changes that were not flushed stay. Resolves to the number of those that the center has. */
  async load(patients: readonly string[]): Promise<number> {
    const loaded = await eachOf(patients, async (id) => {
      let isThere = false
      await this.#rework(id, async (kept) => {
        const found = await this.#center.chart(id, this.#most)
        isThere = found !== undefined
        return found && joined(found, kept, this.#most)
      })
      return isThere
    })
    return loaded.filter(Boolean).length
  }

  async chart(patient: string, count: number): Promise<History | undefined> {
    const value = await this.#local.get(patient)
    const kept = value && dataIn<Kept>(value)
    return kept && { patient: kept.patient, observations: kept.observations.slice(0, count) }
  }

  async recent(patient: string, count: number): Promise<readonly Observation[]> {
    return (await this.chart(patient, count))?.observations ?? []
  }

  /** Change a patient. Resolves to whether it was loaded. */
  change(patient: string, change: (before: Patient) => Patient): Promise<boolean> {
    return this.#update(patient, (kept) => ({
      ...kept,
      patient: change(kept.patient),
      base: kept.base ?? kept.patient,
    }))
  }

  /** Add an observation to a patient. Resolves to whether it was loaded. */
  add(patient: string, one: Observation): Promise<boolean> {
    return this.#update(patient, (kept) => ({
      ...kept,
      observations: withOne(kept.observations, one, this.#most),
      unsent: [...kept.unsent, one],
    }))
  }

  /** Patients with changes that were not flushed, also those of a process that is gone. */
  async pending(): Promise<readonly string[]> {
    const found: string[] = []
    for await (const [patient, { value }] of this.#local.entries())
      if (isPending(dataIn(value))) found.push(patient)
    return found
  }

  /**
   * Bring the changes of patients to the center. One that was cut at any place is called again: nothing is lost, and nothing is there twice.
   *
   * @throws {StoreError} that of the first patient who could not be flushed, after the others were
   */
  async flush(patients: readonly string[]): Promise<Flushed> {
    const all = await eachOf(patients, (patient) => this.#flush(patient))
    return {
      sent: all.reduce((sum, one) => sum + one.sent, 0),
      conflicts: all.flatMap(({ conflicts }) => conflicts),
    }
  }

  async #flush(patient: string): Promise<Flushed> {
    let sent = 0
    let isKept = true
    await this.#rework(patient, async (kept) => {
      if (kept === undefined || !isPending(kept)) return undefined
      await Promise.all(kept.unsent.map((one) => this.#center.add(patient, one)))
      sent = kept.unsent.length
      isKept = await this.#replace(kept)
      return { ...kept, unsent: [], base: isKept ? null : kept.base }
    })
    return { sent, conflicts: isKept ? [] : [patient] }
  }

  /** Whether the center has the patient of the site now. It is replaced only if the center did not change it since the load. */
  async #replace({ patient, base }: Kept): Promise<boolean> {
    if (base === null) return true
    const [before, mine] = [base, patient].map((one) => JSON.stringify(one))
    let isKept = false
    await this.#central.update(patient.id, (value) => {
      const now = value && JSON.stringify(dataIn(value))
      isKept = now === before || now === mine
      return now === before ? bytesOf(patient) : undefined
    })
    return isKept
  }

  async #update(patient: string, change: (kept: Kept) => Kept): Promise<boolean> {
    const changed = await this.#local.update(
      patient,
      (value) => value && bytesOf(change(dataIn<Kept>(value))),
    )
    return changed !== undefined
  }

  /** Replace a record by work that takes its time; the work is done again if somebody changed the record meanwhile. */
  async #rework(patient: string, work: (kept: Kept | undefined) => Promise<Kept | undefined>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const entry = await this.#local.getEntry(patient)
      const kept = await work(entry && dataIn(entry.value))
      if (kept === undefined) return
      try {
        await this.#local.set(patient, bytesOf(kept), { ifVersion: entry?.version ?? null })
        return
      } catch (error) {
        if (attempt === mostAttempts || !isStoreError(error) || error.code !== 'CONDITION_FAILED') throw error
      }
    }
  }
}

function lacking({ name }: { readonly name: string }): StoreError {
  const message = `ehr({ site }) needs a store that lists its keys and has conditional writes, and ${name} does not.`
  return new StoreError('UNSUPPORTED', message)
}

function isPending({ unsent, base }: Kept): boolean {
  return unsent.length > 0 || base !== null
}

/** A patient as the center has it, with what the site has not flushed. Observations are only added, so that those of both hold. */
function joined({ patient, observations }: History, kept: Kept | undefined, most: number): Kept {
  if (kept === undefined) return { patient, observations, unsent: [], base: null }
  const { unsent, base } = kept
  const known = new Set(observations.map(({ id }) => id))
  const all = [...observations, ...kept.observations.filter(({ id }) => !known.has(id))]
  return { patient: base === null ? patient : kept.patient, observations: newest(all, most), unsent, base }
}

/** Do this for all; the first failure is thrown when all have ended. */
async function eachOf<T>(patients: readonly string[], act: (patient: string) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  const failures: unknown[] = []
  const left = patients.values()
  const work = async (): Promise<void> => {
    for (const patient of left)
      try {
        done.push(await act(patient))
      } catch (error) {
        failures.push(error)
      }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (failures.length > 0) throw failures[0]
  return done
}
