import { demandRight, jsonAnswer, Refused } from '@unikv/http/parts'
import type { Hono } from 'hono'
import { levelPlace, levelRange } from '../data/level-place.ts'
import { canSkip, skipLevel } from '../data/skip.ts'
import { walkLevel } from '../data/walk.ts'
import type { Parts } from '../parts.ts'
import type { AskedOf } from './asked.ts'

/** Rows of a part of a level, at most. */
const mostItems = 100

/** Reads for a part of a level that a reader asked for, and for one that is shown unasked. */
const [mostReads, fewReads] = [50, 2]

/** The tree of keys: a level of it by skipping, or by a walk through all keys. */
export function treeRoutes(app: Hono, asked: AskedOf, { walks }: Parts): void {
  app.get('/api/stores/:store/level', async (context) => {
    const one = await asked(context)
    demandRight(one.access, 'read')
    const { query, served, access } = one
    if (!canSkip(served.records.store.capabilities))
      throw new Refused(
        400,
        'BAD_REQUEST',
        'This store walks all its keys to list some. Ask for a walk, which can be cancelled.',
      )
    const place = levelPlace(query, access)
    const range = levelRange(place, served, access)
    const reads = query.get('first') === 'true' ? fewReads : mostReads
    const limits = { items: mostItems, reads, signal: one.request.signal }
    const cursor = query.get('cursor') ?? undefined
    return jsonAnswer(await skipLevel(served.records, place, range, cursor, limits))
  })
  app.get('/api/stores/:store/walk', async (context) => {
    const { access, query, served } = await asked(context)
    demandRight(access, 'read')
    const place = levelPlace(query, access)
    const range = levelRange(place, served, access)
    const cursor = query.get('cursor') ?? undefined
    return walks.open((signal) => walkLevel(served.records, place, range, cursor, signal))
  })
}
