import { conformance, testClock } from '@unikv/conformance'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'

const clock = testClock()

await conformance({ test, describe, clock, schedules: 500, open: () => memory({ clock }) })
