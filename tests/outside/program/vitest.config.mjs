export default { test: { include: ['*.vitest.mjs'], maxWorkers: 1 } }
