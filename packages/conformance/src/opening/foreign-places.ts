import { rejectsWith } from '../assertions.ts'
import type { OpeningSection } from './opening-case.ts'
import { type OpeningFixture, verbsOf } from './opening-fixture.ts'

/** Places that hold something of others, or records of another kind. */
export const foreignPlaces: OpeningSection = ({ foreign = [], preparing }) =>
  foreign.map(([title, place]) => ({
    title: `${title}: refused to every call, prepared or not, and left as it was`,
    run: async (t) => {
      const { options, intact } = await place()
      await refuse(t, options)
      if (preparing !== undefined) {
        await refuse(t, preparing.onCall(options))
        await rejectsWith('INVALID_CONFIG', () => preparing.prepare(options), 'prepare')
      }
      await intact?.()
    },
  }))

async function refuse(t: OpeningFixture, options: object): Promise<void> {
  const store = t.make(options)
  for (const run of verbsOf(store, t.value(1))) await rejectsWith('INVALID_CONFIG', run)
  await store.close()
  if (store.capabilities.scan === false) return
  const kv = t.open(options)
  const clearing = kv as unknown as { clear(what: object): Promise<number> }
  await rejectsWith('INVALID_CONFIG', () => clearing.clear({ all: true }), 'clear')
  await kv.close()
}
