// Everything public, in one include.
#pragma once

#include <kvrace/check.h>
#include <kvrace/history.h>
#include <kvrace/linearizability.h>
#include <kvrace/moment.h>
#include <kvrace/observer.h>
#include <kvrace/result.h>
#include <kvrace/run.h>
#include <kvrace/schedule.h>
#include <kvrace/shrink.h>
#include <kvrace/strategy.h>
#include <kvrace/sync.h>
#include <kvrace/version.h>
