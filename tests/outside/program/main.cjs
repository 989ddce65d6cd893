const unikv = require('@unikv/core')
const { memory } = require('@unikv/core/memory')
const { lmdb } = require('@unikv/lmdb')
const { postgres } = require('@unikv/postgres')
const { redis } = require('@unikv/redis')
const { runCells, storesOf } = require('./cells.mjs')
const { scenario } = require('./scenario.mjs')

void runCells(storesOf({ memory, lmdb, redis, postgres }), (store) => scenario(unikv, store))
