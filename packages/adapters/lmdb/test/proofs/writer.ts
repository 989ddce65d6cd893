import { writeLanes } from '@unikv/test-kit/kills'
import { lmdb } from '../../src/index.ts'

// A process that is killed.
await writeLanes((path) => lmdb({ path }))
