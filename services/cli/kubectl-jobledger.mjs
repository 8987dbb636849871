#!/usr/bin/env node
// kubectl runs the program kubectl-jobledger of the PATH for `kubectl jobledger …`.
import './jobledger.mjs';
