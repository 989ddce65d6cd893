import { sqlite } from '@unikv/sqlite'
import { writeLanes } from '@unikv/test-kit/kills'

// A process that is killed.
await writeLanes((path) => sqlite({ path }))
