#!/usr/bin/env node
// In git, unlike dist: npm links it in a clone that is not built yet, and `npx unikv` works after the first build.
import '../dist/main.js'
