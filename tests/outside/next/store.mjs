import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { redis } from '@unikv/redis'

// A build needs no server: its entries live as long as its processes.
const building = process.env.NEXT_PHASE === 'phase-production-build'

export const open = () =>
  keyValue(building ? memory() : redis({ url: process.env.REDIS_URL }), [structured()])
