import { failingStore, halfFailureList } from '../half-failing/failing-store.ts'
import { callsOfKeyValue, tried } from '../half-failing/half-failures.ts'
import type { Topic } from '../topic.ts'

export const halfAway: Topic = {
  title: 'outcomes while half of the store is away',
  cases: callsOfKeyValue.map((call) => ({
    title: `${call.title}: what is told is true`,
    needs: call.needs,
    run: async (t) => {
      const { store, fail } = failingStore(t.observed().store)
      const kv = t.keyValue(store)
      for (const failure of halfFailureList)
        await tried(kv, t.value, call, (isFailing) => fail(isFailing ? failure : undefined))
    },
  })),
}
