/** What the types of the group are for, as `kubectl explain` shows it. */

export const autoscalingDescriptions = `
autoscaling.HorizontalPodAutoscaler Changes the number of pods of something by what metrics say.
autoscaling.HorizontalPodAutoscalerSpec The desired state of an autoscaler.
  scaleTargetRef What is scaled: something with a scale subresource.
  minReplicas The fewest pods; 1 by default.
  maxReplicas The most pods; not less than minReplicas.
  metrics What to go by; the one that asks for most pods wins. By default CPU at 80 percent.
  behavior How fast it may go, up and down.
  targetCPUUtilizationPercentage The CPU use to aim at, in percent of what pods request.
autoscaling.CrossVersionObjectReference An object in the same namespace.
  kind Its kind.
  name Its name.
  apiVersion Group and version of its kind.
autoscaling.MetricSpec A metric and what to aim at; the field named as the type is set.
  type Object, Pods, Resource, ContainerResource or External.
  object A metric of one other object.
  pods A metric of each pod, averaged.
  resource A resource that pods request, such as cpu.
  containerResource The same of one container in each pod.
  external A metric of something outside of the cluster.
autoscaling.ObjectMetricSource A metric of one object.
  describedObject The object.
  target What to aim at.
  metric Which metric.
autoscaling.PodsMetricSource A metric of each pod.
  metric Which metric.
  target What to aim at, as an average.
autoscaling.ResourceMetricSource A resource that pods request.
  name Which resource.
  target What to aim at.
autoscaling.ContainerResourceMetricSource A resource that one container requests.
  name Which resource.
  target What to aim at.
  container Name of the container.
autoscaling.ExternalMetricSource A metric from outside.
  metric Which metric.
  target What to aim at.
autoscaling.MetricIdentifier A metric by its name.
  name The name.
  selector Labels that narrow it down, if the source of metrics knows any.
autoscaling.MetricTarget What to aim at, in one of three ways.
  type Utilization, Value or AverageValue.
  value The value of the metric as a whole.
  averageValue The value for each pod.
  averageUtilization In percent of what pods request; for resources only.
autoscaling.HorizontalPodAutoscalerBehavior How fast the number of pods may change.
  scaleUp When there are to be more. By default at once: 4 more or twice as many in 15 seconds.
  scaleDown When there are to be fewer. By default after five minutes of looking back.
autoscaling.HPAScalingRules How fast it goes in one direction.
  stabilizationWindowSeconds So far it looks back, and takes the gentlest of its wishes; 0 to 3600.
  selectPolicy Which policy decides: Max, the default, Min, or Disabled for no change at all.
  policies Bounds of a change; there is at least one.
  tolerance Deviations from the target up to this are left alone.
autoscaling.HPAScalingPolicy How much may change in a time.
  type Pods or Percent.
  value How many of them.
  periodSeconds In so many seconds; 1 to 1800.
autoscaling.HorizontalPodAutoscalerStatus The observed state of an autoscaler.
  observedGeneration The generation that this status describes.
  lastScaleTime When the number of pods was last changed.
  currentReplicas How many pods there were when it last looked.
  desiredReplicas How many it then wanted.
  currentMetrics What the metrics were.
  conditions Whether it can scale, does, or is held by its bounds.
  currentCPUUtilizationPercentage The CPU use, in percent of what pods request.
autoscaling.MetricStatus What a metric was.
  type Object, Pods, Resource, ContainerResource or External.
  object The metric of one other object.
  pods The metric of each pod, averaged.
  resource The resource that pods request.
  containerResource The same of one container in each pod.
  external The metric of something outside of the cluster.
*MetricStatus What a metric was.
  metric Which metric.
  current Its value.
  describedObject The object it is of.
  name Which resource.
  container Name of the container.
autoscaling.MetricValueStatus A value that was seen.
  value As a whole.
  averageValue For each pod.
  averageUtilization In percent of what pods request.
autoscaling.Scale The number of copies of something, in one form for all that can be scaled.
autoscaling.ScaleSpec The desired state.
  replicas How many copies.
autoscaling.ScaleStatus What is there.
  replicas How many copies there are.
  selector The selector of the copies, as text.
`;
