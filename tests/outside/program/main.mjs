import * as unikv from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { lmdb } from '@unikv/lmdb'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { runCells, storesOf } from './cells.mjs'
import { scenario } from './scenario.mjs'

void runCells(storesOf({ memory, lmdb, redis, postgres }), (store) => scenario(unikv, store))
