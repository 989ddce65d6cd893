import { StoreError } from '@unikv/core'
import type { StoreFacts } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { type Opener, refuseOthers } from '@unikv/core/url'

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface MemoryByScheme {
  readonly memory: MemoryStore
}

/** Makes the memory store. */
export const openMemory: Opener<MemoryByScheme> = ({ parameters, path, name }) => {
  refuseOthers('memory', parameters, ['dataset'])
  if (path !== '')
    throw new StoreError('INVALID_CONFIG', 'A memory: URL takes no path: its records are in this process.')
  return memory({ name })
}

/** Facts about the memory store, for engineers who choose a store. */
export const memoryFacts: StoreFacts = {
  name: 'memory',
  title: 'Memory',
  adapter: '@unikv/core/memory',
  drivers: [],
  urls: ['memory:'],
  variants: [{ options: '', capabilities: memory().capabilities }],
  costs: {
    read: 'one lookup',
    readMany: 'one lookup a key',
    set: 'one entry',
    setMany: 'one entry a key, all at once',
    conditionalSet: 'one lookup and one entry',
    delete: 'one entry',
    scanPage: 'the whole map is walked and sorted',
  },
  consistency: { strong: 'the only copy there is' },
  sources: [],
  testedOn: 'this process',
  notes: ['Ends with the process.'],
}
